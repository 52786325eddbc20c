"""Serialised pipelines of several versions of Haystack, shortened to the differences."""

# Written by haystack-ai 2.3.0.
V2_3 = """
components:
  html:
    init_parameters:
      extraction_kwargs: {}
    type: haystack.components.converters.html.HTMLToDocument
  joiner:
    init_parameters:
      join_mode: concatenate
      sort_by_score: true
      top_k: null
      weights: null
    type: haystack.components.joiners.document_joiner.DocumentJoiner
  multi:
    init_parameters:
      type_: str
    type: haystack.components.others.multiplexer.Multiplexer
  pdf:
    init_parameters:
      converter:
        init_parameters: {}
        type: haystack.components.converters.pypdf.DefaultConverter
    type: haystack.components.converters.pypdf.PyPDFToDocument
  window:
    init_parameters:
      document_store:
        init_parameters:
          bm25_algorithm: BM25L
          bm25_parameters: {}
          bm25_tokenization_regex: (?u)\\b\\w\\w+\\b
          embedding_similarity_function: dot_product
          index: pages_2_3
        type: haystack.document_stores.in_memory.document_store.InMemoryDocumentStore
      window_size: 2
    type: haystack.components.retrievers.sentence_window_retrieval.SentenceWindowRetrieval
connections:
- receiver: joiner.documents
  sender: html.documents
- receiver: joiner.documents
  sender: pdf.documents
max_loops_allowed: 7
metadata: {}
"""

# Written by haystack-ai 2.8.0.
V2_8 = """
components:
  pdf:
    init_parameters:
      converter: null
      extraction_mode: plain
      layout_mode_font_height_weight: 1.0
      layout_mode_scale_weight: 1.25
      layout_mode_space_vertically: true
      layout_mode_strip_rotated: true
      plain_mode_orientations: !!python/tuple
      - 0
      - 90
      - 180
      - 270
      plain_mode_space_width: 200.0
      store_full_path: true
    type: haystack.components.converters.pypdf.PyPDFToDocument
connections: []
max_runs_per_component: 100
metadata: {}
"""

# Written by haystack-ai 2.19.0; 2.31.0 writes `bm25_tokenization_regex: (?u)\b\w+\b` instead.
V2_19 = """
components:
  all:
    init_parameters:
      document_store:
        init_parameters:
          bm25_algorithm: BM25L
          bm25_parameters: &id001 {}
          bm25_tokenization_regex: (?u)\\b\\w\\w+\\b
          embedding_similarity_function: dot_product
          index: INDEX
          return_embedding: true
        type: haystack.document_stores.in_memory.document_store.InMemoryDocumentStore
      filters: null
    type: haystack.components.retrievers.filter_retriever.FilterRetriever
  bm25:
    init_parameters:
      document_store:
        init_parameters:
          bm25_algorithm: BM25L
          bm25_parameters: *id001
          bm25_tokenization_regex: (?u)\\b\\w\\w+\\b
          embedding_similarity_function: dot_product
          index: INDEX
          return_embedding: true
        type: haystack.document_stores.in_memory.document_store.InMemoryDocumentStore
      filter_policy: merge
      filters:
        field: meta.lang
        operator: ==
        value: en
      scale_score: false
      top_k: 3
    type: haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever
  branch:
    init_parameters:
      type_: typing.List[haystack.dataclasses.document.Document]
    type: haystack.components.joiners.branch.BranchJoiner
  joiner:
    init_parameters:
      join_mode: reciprocal_rank_fusion
      sort_by_score: true
      top_k: null
      weights: null
    type: haystack.components.joiners.document_joiner.DocumentJoiner
  router:
    init_parameters:
      output_type: list[haystack.dataclasses.document.Document]
      rules:
        en:
          field: meta.lang
          operator: ==
          value: en
    type: haystack.components.routers.metadata_router.MetadataRouter
  writer:
    init_parameters:
      document_store:
        init_parameters:
          bm25_algorithm: BM25L
          bm25_parameters: *id001
          bm25_tokenization_regex: (?u)\\b\\w\\w+\\b
          embedding_similarity_function: dot_product
          index: INDEX
          return_embedding: true
        type: haystack.document_stores.in_memory.document_store.InMemoryDocumentStore
      policy: OVERWRITE
    type: haystack.components.writers.document_writer.DocumentWriter
connection_type_validation: true
connections:
- receiver: joiner.documents
  sender: bm25.documents
- receiver: joiner.documents
  sender: all.documents
- receiver: branch.value
  sender: joiner.documents
- receiver: router.documents
  sender: branch.value
max_runs_per_component: 100
metadata: {}
"""

# The store as haystack-ai 3.4.1 writes it.
V3_4 = V2_19.replace(
    "          return_embedding: true\n",
    "          return_embedding: true\n          shared: true\n          strict_datetime_comparison: false\n",
)

# A query pipeline in the form of deepset's platform.
PLATFORM = """
components:
  finder:
    type: haystack.components.retrievers.in_memory.InMemoryBM25Retriever
    init_parameters:
      document_store: &store
        type: haystack.document_stores.in_memory.InMemoryDocumentStore
        init_parameters: {index: INDEX}
  linked:
    type: deepset_cloud_custom_nodes.retrievers.recursive_retriever.DeepsetOpenSearchRecursiveRetriever
    init_parameters:
      document_store: *store
      filter_key: name
      relevant_doc_keys: [links]
connections:
- {sender: finder.documents, receiver: linked.documents}
inputs:
  query: [finder.query]
outputs:
  documents: linked.documents
max_runs_per_component: 100
metadata: {}
"""

RAG = """
components:
  adapter:
    init_parameters:
      custom_filters: {}
      output_type: str
      template: '{{ answers[0].data | upper }}'
      unsafe: false
    type: haystack.components.converters.output_adapter.OutputAdapter
  answers:
    init_parameters:
      last_message_only: false
      pattern: null
      reference_pattern: null
    type: haystack.components.builders.answer_builder.AnswerBuilder
  llm:
    init_parameters:
      meta: {}
      model: mock-model
      response_fn: null
      responses: null
      streaming_callback: null
    type: haystack.components.generators.chat.mock.MockChatGenerator
  prompt_builder:
    init_parameters:
      required_variables: '*'
      template: '{% for document in documents %}{{ document.content }} {{ document.meta.year }}; {% endfor %}{{ question }}'
      variables: null
    type: haystack.components.builders.prompt_builder.PromptBuilder
  retriever:
    init_parameters:
      document_store:
        init_parameters:
          index: INDEX
        type: haystack.document_stores.in_memory.document_store.InMemoryDocumentStore
      filter_policy: replace
      filters: null
      scale_score: false
      top_k: 1
    type: haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever
connection_type_validation: true
connections:
- receiver: prompt_builder.documents
  sender: retriever.documents
- receiver: answers.documents
  sender: retriever.documents
- receiver: llm.messages
  sender: prompt_builder.prompt
- receiver: answers.replies
  sender: llm.replies
- receiver: adapter.answers
  sender: answers.answers
max_runs_per_component: 100
metadata: {}
"""

# Written by opensearch-haystack 9.0.0.
OPENSEARCH = """
components:
  finder:
    init_parameters:
      all_terms_must_match: false
      custom_query: null
      document_store:
        init_parameters:
          create_index: true
          embedding_dim: 768
          hosts: http://127.0.0.1:9200
          http_auth:
          - env_vars:
            - OPENSEARCH_USERNAME
            strict: false
            type: env_var
          - env_vars:
            - OPENSEARCH_PASSWORD
            strict: false
            type: env_var
          index: pages
          mappings:
            dynamic_templates:
            - strings:
                mapping:
                  type: keyword
                match_mapping_type: string
            properties:
              content:
                type: text
              embedding:
                dimension: 768
                index: true
                type: knn_vector
          max_chunk_bytes: 104857600
          method: null
          nested_fields: null
          return_embedding: false
          settings:
            index.knn: true
          timeout: null
          use_ssl: null
          verify_certs: null
        type: haystack_integrations.document_stores.opensearch.document_store.OpenSearchDocumentStore
      filter_policy: replace
      filters: {}
      fuzziness: AUTO
      raise_on_failure: true
      scale_score: false
      top_k: 3
    type: haystack_integrations.components.retrievers.opensearch.bm25_retriever.OpenSearchBM25Retriever
  writer:
    init_parameters:
      document_store:
        init_parameters:
          create_index: true
          embedding_dim: 3
          hosts: http://127.0.0.1:9200
          http_auth:
          - env_vars:
            - OPENSEARCH_USERNAME
            strict: false
            type: env_var
          - env_vars:
            - OPENSEARCH_PASSWORD
            strict: false
            type: env_var
          index: pages
          mappings:
            dynamic_templates:
            - strings:
                mapping:
                  type: keyword
                match_mapping_type: string
            properties:
              content:
                type: text
              embedding:
                dimension: 3
                index: true
                type: knn_vector
          max_chunk_bytes: 104857600
          method: null
          nested_fields: null
          return_embedding: false
          settings:
            index.knn: true
          timeout: null
          use_ssl: null
          verify_certs: null
        type: haystack_integrations.document_stores.opensearch.document_store.OpenSearchDocumentStore
      policy: SKIP
    type: haystack.components.writers.document_writer.DocumentWriter
connections: []
metadata: {}
"""
