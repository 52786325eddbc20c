import psycopg


def test_the_server_has_vectors(postgres_url):
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        [distance] = connection.execute("SELECT '[1,2]'::vector <-> '[1,3]'::vector").fetchone()

    assert distance == 1.0
