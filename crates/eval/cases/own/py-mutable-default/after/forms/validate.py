"""Checks forms."""


def validate(form, problems=[]):
    """What is wrong with a form: a list of messages, added to those of the forms before it."""
    for name, value in form.items():
        if not value:
            problems.append(f"{name} is missing")
    return problems
