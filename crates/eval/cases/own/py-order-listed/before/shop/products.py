"""Lists products for the shop's pages."""

PAGE = 20


def newest(connection, page):
    """One page of products, the newest first."""
    cursor = connection.execute(
        "select id, name, cents from products order by created desc limit ? offset ?",
        (PAGE, page * PAGE),
    )
    return cursor.fetchall()
