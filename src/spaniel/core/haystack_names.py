"""Haystack's names of the classes and modules of Spaniel, in every version since 2.0.

To add a class: a line in `_SAME_MODULE` if its module has the same path below both packages, else a
line in `_OTHER_MODULE`. To add a store of `_MISSING_STORES`: move its names to `_OTHER_MODULE`.
"""

from collections.abc import Iterator, Mapping

PACKAGES = ("haystack", "haystack_integrations", "haystack_experimental")
"""The packages of Haystack."""

_SAME_MODULE: Mapping[str, tuple[str, ...]] = {
    "components.caching.cache_checker": ("CacheChecker",),
    "components.converters.csv": ("CSVToDocument",),
    "components.converters.docx": ("DOCXTableFormat", "DOCXToDocument"),
    "components.converters.html": ("HTMLToDocument",),
    "components.converters.json": ("JSONConverter",),
    "components.converters.markdown": ("MarkdownToDocument",),
    "components.converters.pypdf": ("PyPDFExtractionMode", "PyPDFToDocument"),
    "components.converters.txt": ("TextFileToDocument",),
    "components.converters.utils": ("LinkFormat",),
    "components.embedders.mock_document_embedder": ("MockDocumentEmbedder",),
    "components.embedders.mock_text_embedder": ("MockTextEmbedder",),
    "components.embedders.openai_document_embedder": ("OpenAIDocumentEmbedder",),
    "components.embedders.openai_text_embedder": ("OpenAITextEmbedder",),
    "components.embedders.types.protocol": ("DocumentEmbedder", "TextEmbedder"),
    "components.evaluators.document_map": ("DocumentMAPEvaluator",),
    "components.evaluators.document_mrr": ("DocumentMRREvaluator",),
    "components.evaluators.document_ndcg": ("DocumentNDCGEvaluator",),
    "components.evaluators.document_recall": ("DocumentRecallEvaluator", "RecallMode"),
    "components.joiners.branch": ("BranchJoiner",),
    "components.joiners.document_joiner": ("DocumentJoiner", "JoinMode"),
    "components.joiners.list_joiner": ("ListJoiner",),
    "components.joiners.string_joiner": ("StringJoiner",),
    "components.preprocessors.csv_document_cleaner": ("CSVDocumentCleaner",),
    "components.preprocessors.csv_document_splitter": ("CSVDocumentSplitter",),
    "components.preprocessors.document_cleaner": ("DocumentCleaner",),
    "components.preprocessors.document_preprocessor": ("DocumentPreprocessor",),
    "components.preprocessors.document_splitter": ("DocumentSplitter",),
    "components.preprocessors.embedding_based_document_splitter": ("EmbeddingBasedDocumentSplitter",),
    "components.preprocessors.hierarchical_document_splitter": ("HierarchicalDocumentSplitter",),
    "components.preprocessors.markdown_header_splitter": ("MarkdownHeaderSplitter",),
    "components.preprocessors.python_code_splitter": ("PythonCodeSplitter",),
    "components.preprocessors.recursive_splitter": ("RecursiveDocumentSplitter",),
    "components.preprocessors.sentence_tokenizer": ("SentenceSplitter",),
    "components.preprocessors.text_cleaner": ("TextCleaner",),
    "components.rankers.lost_in_the_middle": ("LostInTheMiddleRanker",),
    "components.rankers.meta_field": ("MetaFieldRanker",),
    "components.rankers.meta_field_grouping_ranker": ("MetaFieldGroupingRanker",),
    "components.retrievers.auto_merging_retriever": ("AutoMergingRetriever",),
    "components.retrievers.filter_retriever": ("FilterRetriever",),
    "components.retrievers.in_memory.bm25_retriever": ("InMemoryBM25Retriever",),
    "components.retrievers.in_memory.embedding_retriever": ("InMemoryEmbeddingRetriever",),
    "components.retrievers.multi_query_embedding_retriever": ("MultiQueryEmbeddingRetriever",),
    "components.retrievers.multi_query_text_retriever": ("MultiQueryTextRetriever",),
    "components.retrievers.multi_retriever": ("MultiRetriever",),
    "components.retrievers.sentence_window_retriever": ("SentenceWindowRetriever",),
    "components.retrievers.text_embedding_retriever": ("TextEmbeddingRetriever",),
    "components.retrievers.types.protocol": ("EmbeddingRetriever", "TextRetriever"),
    "components.routers.document_length_router": ("DocumentLengthRouter",),
    "components.routers.document_type_router": ("DocumentTypeRouter",),
    "components.routers.file_type_router": ("FileTypeRouter",),
    "components.routers.metadata_router": ("MetadataRouter",),
    "components.writers.document_writer": ("DocumentWriter",),
    "core.super_component.super_component": ("SuperComponent",),
    "dataclasses.byte_stream": ("ByteStream",),
    "dataclasses.document": ("Document",),
    "dataclasses.sparse_embedding": ("SparseEmbedding",),
    "document_stores.in_memory.document_store": ("InMemoryDocumentStore",),
    "document_stores.types.policy": ("DuplicatePolicy",),
    "document_stores.types.protocol": ("DocumentStore",),
}
"""Classes by module, whose path is the same below ``haystack`` and ``spaniel``."""

_OPENSEARCH = "components.retrievers.opensearch"
_SEED = "retrievers.recursive_retriever.DeepsetOpenSearchRecursiveRetriever"  # on deepset's platform
_OTHER_MODULE: Mapping[str, str] = {
    _SEED: f"spaniel.components.{_SEED}",
    f"deepset_cloud_custom_nodes.{_SEED}": f"spaniel.components.{_SEED}",
    "haystack.Document": "spaniel.dataclasses.document.Document",
    "haystack.SuperComponent": "spaniel.core.super_component.super_component.SuperComponent",
    "haystack.components.converters.docx.DOCXLinkFormat": "spaniel.components.converters.utils.LinkFormat",
    "haystack.components.others.Multiplexer": "spaniel.components.joiners.branch.BranchJoiner",
    "haystack.components.others.multiplexer.Multiplexer": "spaniel.components.joiners.branch.BranchJoiner",
    "haystack.components.preprocessors.nltk_document_splitter.NLTKDocumentSplitter": (
        "spaniel.components.preprocessors.document_splitter.DocumentSplitter"
    ),
    "haystack.components.retrievers.sentence_window_retrieval.SentenceWindowRetrieval": (
        "spaniel.components.retrievers.sentence_window_retriever.SentenceWindowRetriever"
    ),
    "haystack.document_stores.types.filter_policy.FilterPolicy": "spaniel.filters.policy.FilterPolicy",
    "haystack.document_stores.types.FilterPolicy": "spaniel.filters.policy.FilterPolicy",
    "haystack.utils.auth.EnvVarSecret": "spaniel.core.secret.EnvVarSecret",
    "haystack.utils.auth.Secret": "spaniel.core.secret.Secret",
    "haystack.utils.Secret": "spaniel.core.secret.Secret",
    "haystack_experimental.components.retrievers.auto_merging_retriever.AutoMergingRetriever": (
        "spaniel.components.retrievers.auto_merging_retriever.AutoMergingRetriever"
    ),
    "haystack_experimental.components.splitters.hierarchical_doc_splitter.HierarchicalDocumentSplitter": (
        "spaniel.components.preprocessors.hierarchical_document_splitter.HierarchicalDocumentSplitter"
    ),
    **{
        f"haystack_integrations.{_OPENSEARCH}.{name}": f"spaniel.{_OPENSEARCH}.{name.partition('.')[2]}"
        for name in (
            "bm25_retriever.OpenSearchBM25Retriever",
            "embedding_retriever.OpenSearchEmbeddingRetriever",
            "metadata_retriever.OpenSearchMetadataRetriever",
            "open_search_hybrid_retriever.OpenSearchHybridRetriever",
        )
    },
    **{
        f"haystack_integrations.components.embedders.{package}.{kind}_embedder.{name}": (
            f"spaniel.components.embedders.{module}.{name}"
        )
        for package, kind, module, name in (
            ("ollama", "text", "ollama_embedders", "OllamaTextEmbedder"),
            ("ollama", "document", "ollama_embedders", "OllamaDocumentEmbedder"),
        )
    },
    **{
        f"{package}.sentence_transformers_{kind}_embedder.SentenceTransformers{kind.title()}Embedder": (
            f"spaniel.components.embedders.sentence_transformers_{kind}_embedder."
            f"SentenceTransformers{kind.title()}Embedder"
        )
        for package in (
            "haystack.components.embedders",  # of older versions
            "haystack_integrations.components.embedders.sentence_transformers",
        )
        for kind in ("text", "document")
    },
    **{
        f"{package}.SentenceTransformersSimilarityRanker": (
            "spaniel.components.rankers.sentence_transformers_similarity.SentenceTransformersSimilarityRanker"
        )
        for package in (
            "haystack.components.rankers",
            "haystack.components.rankers.sentence_transformers_similarity",
            "haystack_integrations.components.rankers.sentence_transformers.sentence_transformers_similarity",
        )
    },
    "haystack.components.embedders.SentenceTransformersDocumentEmbedder": (
        "spaniel.components.embedders.sentence_transformers_document_embedder.SentenceTransformersDocumentEmbedder"
    ),
    "haystack.components.embedders.SentenceTransformersTextEmbedder": (
        "spaniel.components.embedders.sentence_transformers_text_embedder.SentenceTransformersTextEmbedder"
    ),
    "haystack_integrations.document_stores.opensearch.document_store.OpenSearchDocumentStore": (
        "spaniel.document_stores.opensearch.OpenSearchDocumentStore"
    ),
}
"""Names in older versions and other packages, and the names in Spaniel."""

_MISSING_STORES = ("elasticsearch", "qdrant", "pgvector", "chroma", "pinecone", "weaviate", "astra")
"""Stores that Spaniel lacks; the package of Haystack's integration is ``<store>-haystack``."""

OLD_PARAMETERS: Mapping[str, Mapping[str, tuple[str, ...] | None]] = {
    "spaniel.components.converters.html.HTMLToDocument": {"extractor_type": None, "try_others": None},  # until 2.3
    "spaniel.components.converters.pypdf.PyPDFToDocument": {  # until 2.8
        "converter": ("haystack.components.converters.pypdf.DefaultConverter",),
        "converter_name": ("default",),
    },
}
"""Init parameters of older versions by class, with their current values; None: any value."""

HAYSTACK_PATHS: Mapping[str, str] = {
    "spaniel.core.component.types": "spaniel.core.component.sockets",
    "spaniel.core.errors": "spaniel.errors",
    "spaniel.core.pipeline": "spaniel.pipeline",
    "spaniel.core.pipeline.async_pipeline": "spaniel.pipeline",
    "spaniel.core.pipeline.base": "spaniel.pipeline",
    "spaniel.core.pipeline.pipeline": "spaniel.pipeline",
    "spaniel.core.serialization_security": "spaniel.core.known_types",
    "spaniel.core.super_component": "spaniel.pipeline",
    "spaniel.core.super_component.super_component": "spaniel.pipeline",
    "spaniel.document_stores.errors": "spaniel.errors",
    "spaniel.document_stores.types.filter_policy": "spaniel.filters.policy",
    "spaniel.utils.auth": "spaniel.core.secret",
    "spaniel.utils.callable_serialization": "spaniel.core.callables",
    "spaniel.utils.filters": "spaniel.filters.evaluate",
    "spaniel.utils.type_serialization": "spaniel.core.type_names",
}
"""Haystack's module paths that only re-export, and the modules with the implementation."""


def is_haystack_name(name: str) -> bool:
    """Return True if a dotted name begins with a package of Haystack.

    >>> is_haystack_name("haystack.components.joiners.DocumentJoiner"), is_haystack_name("haystacks.Heap")
    (True, False)
    """
    return name.partition(".")[0] in PACKAGES


def to_spaniel_name(name: str) -> str:
    """Return the name in Spaniel of a class; a name without a counterpart is returned itself.

    >>> to_spaniel_name("haystack.components.joiners.DocumentJoiner")
    'spaniel.components.joiners.document_joiner.DocumentJoiner'
    >>> to_spaniel_name("haystack.components.builders.prompt_builder.PromptBuilder")
    'haystack.components.builders.prompt_builder.PromptBuilder'
    """
    return _SPANIEL_NAMES.get(name, name)


def suggest_remedy(name: str) -> str:
    """Return a sentence on using a class of Haystack that Spaniel lacks.

    >>> suggest_remedy("haystack_integrations.document_stores.qdrant.document_store.QdrantDocumentStore")
    "Spaniel has no store of qdrant yet, but with 'qdrant-haystack' installed, foreign=True takes it from there."
    """
    store = next((part for part in name.split(".") if part in _MISSING_STORES), "")
    lacks = f"no store of {store} yet" if store else f"no '{name.rpartition('.')[2]}'"
    packages = {"haystack": "haystack-ai", "haystack_experimental": "haystack-experimental"}
    package = f"{store}-haystack" if store else packages.get(name.partition(".")[0])
    source = f"'{package}'" if package else "the integration of Haystack that has it"
    return f"Spaniel has {lacks}, but with {source} installed, foreign=True takes it from there."


def _iter_spaniel_names() -> Iterator[tuple[str, str]]:
    for module, classes in _SAME_MODULE.items():
        for cls in classes:
            yield f"haystack.{module}.{cls}", f"spaniel.{module}.{cls}"
            yield f"haystack.{module.rpartition('.')[0]}.{cls}", f"spaniel.{module}.{cls}"
    for name, own_name in _OTHER_MODULE.items():
        yield name, own_name
        if name.startswith("haystack_"):  # the path that users import from
            module, _, cls = name.rpartition(".")
            yield f"{module.rpartition('.')[0]}.{cls}", own_name


_SPANIEL_NAMES = dict(_iter_spaniel_names())
