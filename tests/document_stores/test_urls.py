"""Store URLs: parsing, errors, and hidden passwords."""

import pytest

from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.opensearch.url import OPTIONS
from spaniel.document_stores.urls import SCHEMES, is_url, open_store, parse_store_url, with_options, without_secrets
from spaniel.errors import SecretError, SpanielError, StoreUrlError

PLAIN = "opensearch://localhost:9200/docs"


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        (PLAIN, ["http://localhost:9200"]),
        ("opensearch://localhost/docs", ["http://localhost:9200"]),
        ("OpenSearch://localhost/docs/", ["http://localhost:9200"]),
        ("opensearch+https://search.example.org:443/docs", ["https://search.example.org:443"]),
        ("opensearch://[::1]:9201/docs", ["http://[::1]:9201"]),
        ("opensearch://[::1]/docs", ["http://[::1]:9200"]),
        ("opensearch://one,two:9201,[::1]/docs", ["http://one:9200", "http://two:9201", "http://[::1]:9200"]),
    ],
)
def test_the_hosts_of_a_url(url: str, hosts: list[str]) -> None:
    store = open_store(url)
    assert (store.hosts, store.index) == (hosts, "docs")


def test_an_index_name_may_be_encoded() -> None:
    assert open_store("opensearch://h/a%2Bb").index == "a+b"


def test_options_become_parameters_and_settings() -> None:
    options = "verify_certs=false&ca_certs=/ca.pem&shards=3&replicas=0&timeout=1.5&embedding_dim=3&search_type=dfs_query_then_fetch"
    store = open_store(f"opensearch+https://h/docs?{options}")
    assert store.verify_certs is False
    assert store.kwargs["ca_certs"] == "/ca.pem"
    assert store.settings == {"index.knn": True, "index.number_of_shards": 3, "index.number_of_replicas": 0}
    assert (store.timeout, store.embedding_dim, store.search_type) == (1.5, 3, "dfs_query_then_fetch")


def test_a_store_of_a_url_searches_leaves_unless_it_says_otherwise() -> None:
    assert [open_store(url).search_scope for url in (PLAIN, f"{PLAIN}?search=all")] == ["leaves", "all"]


def test_vectors_rank_as_in_a_folder_unless_the_url_says_otherwise() -> None:
    assert open_store(PLAIN).method == {"name": "hnsw", "engine": "lucene", "space_type": "innerproduct"}
    assert open_store(f"{PLAIN}?space_type=l2&engine=faiss").method["space_type"] == "l2"


def test_options_that_are_there_stay() -> None:
    url = with_options(parse_store_url(f"{PLAIN}?search=all"), search="leaves", embedding_dim="3")
    assert url.options == {"search": "all", "embedding_dim": "3"}


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (
            "http://localhost:9200/docs",
            "has an unknown scheme. Valid stores: the path of a folder, or opensearch://",
        ),
        ("opensearch://", "has no host. Write opensearch://HOST:9200/INDEX"),
        ("opensearch:///docs", "has no host"),
        ("opensearch://localhost", "names no index. Write opensearch://HOST:9200/INDEX"),
        ("opensearch://localhost/a/b", "has more than one name after the host"),
        ("opensearch://localhost:x/docs", "has a port that is not a number from 1 to 65535"),
        ("opensearch://localhost:0/docs", "has a port that is not a number from 1 to 65535"),
        ("opensearch://localhost:65536/docs", "has a port that is not a number from 1 to 65535"),
        ("opensearch://::1/docs", "has an IPv6 address without brackets, such as [::1]"),
        ("opensearch://[::1/docs", "is not a store URL"),
        ("opensearch://a b/docs", "has an invalid host"),
        ("opensearch://h/docs#part", "contains a '#', which must be written %23"),
        ("opensearch://h/docs?shards", "is not a store URL"),
        ("opensearch://h/docs?shards=1&shards=2", "has an option twice"),
        ("opensearch://h/docs?shard=1", "it has no option shard. Options: ca_certs, "),
        ("opensearch://h/docs?shards=many", "the option shards='many' must be a whole number."),
        ("opensearch://h/docs?verify_certs=maybe", "the option verify_certs='maybe' must be true or false."),
        ("opensearch://h/docs?timeout=long", "the option timeout='long' must be a number of seconds."),
        ("opensearch://h/docs?search=some", "search must be one of ['all', 'leaves'], got 'some'"),
    ],
)
def test_the_error_for_an_invalid_url_shows_the_valid_form(url: str, said: str) -> None:
    with pytest.raises(StoreUrlError) as caught:
        open_store(url)
    assert said in str(caught.value)


def test_credentials_in_the_url() -> None:
    store = open_store("opensearch+https://me:p%40ss%2Fword@h/docs")
    assert [secret.resolve_value() for secret in store.http_auth] == ["me", "p@ss/word"]


def test_credentials_in_the_environment_if_the_url_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENSEARCH_USERNAME", "me")
    monkeypatch.setenv("OPENSEARCH_PASSWORD", "hush")
    assert [secret.resolve_value() for secret in open_store(PLAIN).http_auth] == ["me", "hush"]
    assert [secret.resolve_value() for secret in open_store("opensearch://you@h/docs").http_auth] == ["you", "hush"]


HIDDEN = "hush-hush"
WITH_HIDDEN = f"opensearch://my-name:{HIDDEN}@h:9200/docs"


def test_a_password_is_hidden_in_everything_made_from_a_url() -> None:
    parts, store = parse_store_url(WITH_HIDDEN), open_store(WITH_HIDDEN)
    for shown in (repr(parts), str(parts), repr(store), str(store), repr(vars(store)), without_secrets(WITH_HIDDEN)):
        assert HIDDEN not in shown
        assert "my-name" not in shown


def test_a_store_with_a_password_of_a_url_is_not_saved() -> None:
    with pytest.raises(SecretError, match="environment variable"):
        open_store(WITH_HIDDEN).to_dict()
    assert OpenSearchDocumentStore.from_dict(open_store(PLAIN).to_dict()).hosts == ["http://localhost:9200"]


@pytest.mark.parametrize(
    "url",
    [
        f"opensearch://my-name:{HIDDEN}@h:x/docs",
        f"opensearch://my-name:{HIDDEN}@h/docs?shard=1",
        f"opensearch://my-name:{HIDDEN}@h/docs?shards=x",
        f"opensearch://my-name:{HIDDEN}@h/",
        f"opensearch://my-name:a/{HIDDEN}@h/docs",
        f"opensearch://my-name:a#{HIDDEN}@h/docs",
        f"opensearch://my-name:a?{HIDDEN}@h/docs",
        f"opensearch://my-name:@{HIDDEN}@h/a/b",
        f"opensearch://my-name:{HIDDEN}\uff0f@h/docs",
        f"opensearch://my-name:{HIDDEN}]@h/docs",
        f"elsewhere://my-name:{HIDDEN}@h/docs",
    ],
)
def test_a_password_is_not_seen_in_an_error(url: str) -> None:
    with pytest.raises(SpanielError) as caught:
        open_store(url)
    error: BaseException | None = caught.value
    while error is not None:
        assert HIDDEN not in str(error)
        assert "my-name" not in str(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_every_scheme_has_a_form() -> None:
    assert all(form.startswith(f"{name}://") for name, form in SCHEMES.items())


def test_paths_are_not_urls() -> None:
    assert [is_url(place) for place in ("docs/kb", "./a:b", "~/kb", PLAIN, "s3://x")] == [
        False,
        False,
        False,
        True,
        True,
    ]


def test_every_option_can_be_opened() -> None:
    values = dict.fromkeys(OPTIONS, "1") | {"search": "all", "search_type": "query_then_fetch"}
    store = open_store(f"{PLAIN}?" + "&".join(f"{name}={value}" for name, value in values.items()))

    assert store.chunk_size == 1
