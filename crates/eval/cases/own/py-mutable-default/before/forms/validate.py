"""Checks forms."""


def validate(form):
    """What is wrong with a form: a list of messages."""
    return [f"{name} is missing" for name, value in form.items() if not value]
