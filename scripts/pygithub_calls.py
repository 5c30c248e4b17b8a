"""Plays people and bots on a forge with PyGithub: `pygithub_calls.py API_URL OWNER/REPO`.

Prints a line a call: `ok NAME`, or `failed NAME: why`. What follows goes on after a failure where it can.
"""

import sys
import time
import traceback

from github import Auth, Github, GithubException

API, REPO = sys.argv[1:3]


def client(login):
    auth = Auth.Token("forge-" + login)
    return Github(base_url=API, auth=auth, retry=None, timeout=10, seconds_between_requests=0, seconds_between_writes=0)


OCTO, ANA, BEN, KIM, MALLORY = (client(login) for login in ("octo", "ana", "ben", "kim", "mallory"))
RABBIT = client("coderabbitai[bot]")
repo = {g: g.get_repo(REPO, lazy=True) for g in (OCTO, ANA, BEN, KIM, MALLORY, RABBIT)}


def ok(name, call, expected=None):
    """Makes a call; what it gives has to be what is expected, where something is."""
    try:
        found = call()
        assert expected is None or found == expected, f"{found!r} is not {expected!r}"
        print("ok", name)
        return found
    except Exception as error:  # noqa: BLE001: each call is told of by itself
        where = traceback.extract_tb(error.__traceback__)[-1]
        print(f"failed {name}: {type(error).__name__} {error} ({where.name}:{where.lineno})".replace("\n", " "))
        return None


def refused(name, status, call):
    """Makes a call that has to be refused with a status."""

    def attempt():
        try:
            call()
        except GithubException as error:
            return error.status
        return "it was not refused"

    ok(name, attempt, status)


def until(look):
    """Looks until something is so, for 20 s."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.05)
    raise AssertionError("not within 20 s")


def names(items):
    return sorted(item.name for item in items)


def logins(items):
    return sorted(item.login for item in items)


def accounts():
    ok("get_user", lambda: ANA.get_user().login, "ana")
    ok("get_user by login", lambda: ANA.get_user("coderabbitai[bot]").type, "Bot")
    refused("get_user unknown", 404, lambda: ANA.get_user("nobody-at-all"))
    refused("bad credentials", 401, lambda: client("nobody-at-all").get_user().login)


def repository():
    ok("get_repo", lambda: ANA.get_repo(REPO).full_name, REPO)
    ok("get_repo permissions", lambda: ANA.get_repo(REPO).permissions.push, True)
    ok("get_branches", lambda: len(list(repo[ANA].get_branches())), 5)
    ok("get_branch", lambda: repo[ANA].get_branch("main").protected, True)
    ok("get_required_status_checks", lambda: repo[OCTO].get_branch("main").get_required_status_checks().contexts, ["build"])
    ok("get_protection", lambda: repo[OCTO].get_branch("main").get_protection().enforce_admins, False)
    refused("get_protection without admin rights", 404, lambda: repo[ANA].get_branch("main").get_protection())
    ok("get_git_ref", lambda: repo[ANA].get_git_ref("heads/main").object.type, "commit")
    ok("get_contents", lambda: repo[ANA].get_contents("src/app.txt").decoded_content, b"one\ntwo\nthree\n")
    # PyGithub itself adds the address it asked to whatever object comes.
    ok("get_languages", lambda: {name: size for name, size in repo[ANA].get_languages().items() if name != "url"}, {})
    ok("get_contents folder", lambda: len(repo[ANA].get_contents("")), 3)
    ok("get_commit", lambda: repo[ANA].get_commit("feature").stats.additions > 0, True)
    ok("compare", lambda: repo[ANA].compare("main", "feature").total_commits, 1)


def collaborators():
    ok("get_collaborators", lambda: logins(repo[OCTO].get_collaborators()), ["ana", "ben", "kim", "octo"])
    ok("get_collaborators who push", lambda: logins(repo[OCTO].get_collaborators(permission="push")), ["ana", "ben", "octo"])
    ok("has_in_collaborators", lambda: repo[OCTO].has_in_collaborators("ana"), True)
    ok("has_in_collaborators not", lambda: repo[OCTO].has_in_collaborators("mallory"), False)
    ok("get_collaborator_permission", lambda: repo[OCTO].get_collaborator_permission("ana"), "write")
    ok("get_assignees", lambda: logins(repo[ANA].get_assignees()), ["ana", "ben", "kim", "octo"])
    ok("has_in_assignees", lambda: repo[ANA].has_in_assignees("mallory"), False)


def labels():
    ok("create_label", lambda: repo[ANA].create_label("Bug", "d73a4a", "Does not work").color, "d73a4a")
    ok("get_label", lambda: repo[ANA].get_label("bug").description, "Does not work")
    ok("edit label", lambda: repo[ANA].get_label("bug").edit("defect", "000000"))
    ok("get_labels", lambda: names(repo[ANA].get_labels()), ["defect"])
    ok("delete label", lambda: repo[ANA].create_label("gone", "ffffff").delete())
    refused("create_label twice", 422, lambda: repo[ANA].create_label("defect", "ffffff"))


def issues():
    issue = ok("create_issue", lambda: repo[ANA].create_issue("It barks", "Loudly", labels=["defect"], assignees=["ben"]))
    ok("issue assignees", lambda: logins(issue.assignees), ["ben"])
    ok("add_to_labels", lambda: issue.add_to_labels("loud", "old"))
    ok("get_labels of issue", lambda: names(issue.get_labels()), ["defect", "loud", "old"])
    ok("remove_from_labels", lambda: issue.remove_from_labels("old"))
    ok("set_labels", lambda: issue.set_labels("defect"))
    ok("delete_labels", lambda: issue.delete_labels())
    ok("add_to_assignees", lambda: issue.add_to_assignees("ana"))
    ok("remove_from_assignees", lambda: issue.remove_from_assignees("ben"))
    ok("assignees since", lambda: logins(repo[ANA].get_issue(issue.number).assignees), ["ana"])
    comment = ok("create_comment", lambda: issue.create_comment("Still"))
    ok("edit comment", lambda: comment.edit("Still does"))
    reaction = ok("comment create_reaction", lambda: comment.create_reaction("eyes"))
    ok("comment get_reactions", lambda: [r.content for r in comment.get_reactions()], ["eyes"])
    ok("comment delete_reaction", lambda: comment.delete_reaction(reaction.id), True)
    ok("issue create_reaction", lambda: issue.create_reaction("+1").user.login, "ana")
    ok("issue get_reactions", lambda: len(list(issue.get_reactions())), 1)
    ok("get_comments", lambda: [c.body for c in issue.get_comments()], ["Still does"])
    ok("delete comment", lambda: comment.delete())
    ok("lock", lambda: issue.lock("resolved"))
    ok("unlock", lambda: issue.unlock())
    ok("close issue", lambda: issue.edit(state="closed", state_reason="not_planned"))
    ok("issue get_events", lambda: "closed" in [e.event for e in issue.get_events()], True)
    ok("issue get_timeline", lambda: "assigned" in [e.event for e in issue.get_timeline()], True)
    ok("get_issues", lambda: [i.title for i in repo[ANA].get_issues(state="all")], ["It barks"])


def pulls():
    pull = ok("create_pull", lambda: repo[ANA].create_pull(base="main", head="feature", title="Work", body="Please"))
    refused("create_pull twice", 422, lambda: repo[ANA].create_pull(base="main", head="feature", title="Work"))
    ok("get_pull", lambda: repo[ANA].get_pull(pull.number).mergeable, True)
    ok("get_pulls", lambda: [p.title for p in repo[ANA].get_pulls(state="open", sort="updated")], ["Work"])
    ok("edit pull", lambda: pull.edit(title="Two and a half"))
    ok("close pull", lambda: pull.edit(state="closed"))
    ok("reopen pull", lambda: pull.edit(state="open"))
    ok("get_files", lambda: sorted(f.filename for f in pull.get_files()), ["src/app.txt", "src/new.txt"])
    ok("get_commits", lambda: pull.get_commits().totalCount, 1)
    ok("pull add_to_labels", lambda: pull.add_to_labels("defect"))
    ok("pull add_to_assignees", lambda: pull.add_to_assignees("ben"))
    ok("as_issue", lambda: pull.as_issue().pull_request is not None, True)
    ok("create_review_request", lambda: pull.create_review_request(reviewers=["ben"]))
    ok("get_review_requests", lambda: logins(pull.get_review_requests()[0]), ["ben"])
    ok("delete_review_request", lambda: pull.delete_review_request(reviewers=["ben"]))
    return pull


def reviews(pull):
    mine = {g: repo[g].get_pull(pull.number) for g in (BEN, KIM, RABBIT, OCTO)}
    head = repo[ANA].get_commit(pull.head.sha)
    refused("approve one's own", 422, lambda: pull.create_review(event="APPROVE"))
    line = {"path": "src/app.txt", "line": 2, "side": "RIGHT", "body": "Why a half?"}
    review = ok("create_review", lambda: mine[BEN].create_review(commit=head, body="Hm", event="REQUEST_CHANGES", comments=[line]))
    ok("get_reviews", lambda: [r.state for r in pull.get_reviews()], ["CHANGES_REQUESTED"])
    ok("get_review", lambda: pull.get_review(review.id).body, "Hm")
    ok("get_single_review_comments", lambda: len(list(pull.get_single_review_comments(review.id))), 1)
    ok("dismiss review", lambda: mine[OCTO].get_review(review.id).dismiss("Settled"))
    pending = ok("pending review", lambda: mine[KIM].create_review(commit=head, body="Draft"))
    refused("second pending review", 422, lambda: mine[KIM].create_review(commit=head, body="Draft"))
    ok("delete pending review", lambda: pending.delete())
    ok("bot's review", lambda: mine[RABBIT].create_review(commit=head, body="**Actionable comments posted: 0**", event="COMMENT").user.type, "Bot")
    comment = ok("create_review_comment", lambda: mine[KIM].create_review_comment("Half of what?", head, "src/app.txt", line=2, side="RIGHT"))
    refused("comment outside of the diff", 422, lambda: mine[KIM].create_review_comment("Far", head, "src/app.txt", line=90, side="RIGHT"))
    ok("create_review_comment_reply", lambda: pull.create_review_comment_reply(comment.id, "Of three").in_reply_to_id, comment.id)
    ok("review comment create_reaction", lambda: comment.create_reaction("rocket"))
    ok("review comment get_reactions", lambda: [r.content for r in comment.get_reactions()], ["rocket"])
    ok("edit review comment", lambda: comment.edit("Half of which?"))
    ok("get_review_comments", lambda: pull.get_review_comments().totalCount, 3)
    ok("delete review comment", lambda: comment.delete())
    ok("create_issue_comment", lambda: pull.create_issue_comment("Thanks").body, "Thanks")
    ok("get_issue_comments", lambda: [c.body for c in pull.get_issue_comments()], ["Thanks"])


def checks(pull):
    commit = repo[ANA].get_commit(pull.head.sha)
    runs = ok("get_check_runs", lambda: until(lambda: ended(commit)))
    ok("conclusions", lambda: sorted(r.conclusion for r in runs), ["failure", "success"])
    red = next(r for r in runs if r.conclusion == "failure")
    ok("get_check_run", lambda: repo[ANA].get_check_run(red.id).name, "test")
    ok("get_annotations", lambda: [a.path for a in red.get_annotations()][:1], ["src/app.txt"])
    ok("get_check_suites", lambda: sorted(s.conclusion for s in commit.get_check_suites()), ["failure", "success"])
    suite = ok("get_check_suite", lambda: repo[ANA].get_check_suite(red.check_suite_id))
    ok("check suite's runs", lambda: names(suite.get_check_runs()), ["test"])
    ok("suite's commit", lambda: suite.head_commit.sha, pull.head.sha)
    own = ok("create_check_run", lambda: repo[RABBIT].create_check_run("Rabbit", pull.head.sha, status="in_progress"))
    ok("edit check run", lambda: own.edit(status="completed", conclusion="neutral", output={"title": "Looked", "summary": "Fine"}))
    refused("create_check_run as a person", 403, lambda: repo[ANA].create_check_run("Mine", pull.head.sha))
    ok("create_status", lambda: commit.create_status("pending", context="ci/outside", description="Runs").state, "pending")
    ok("get_combined_status", lambda: commit.get_combined_status().state, "pending")
    ok("get_statuses", lambda: [s.context for s in commit.get_statuses()], ["ci/outside"])
    ok("rerequest suite", lambda: suite.rerequest(), True)


def ended(commit):
    runs = list(commit.get_check_runs())
    return runs if len(runs) == 2 and all(r.status == "completed" for r in runs) else None


def searching():
    found = lambda query: [i.title for i in ANA.search_issues(query)]
    ok("search_issues", lambda: found(f"repo:{REPO} is:pr is:open author:ana label:defect"), ["Two and a half"])
    ok("search_issues closed", lambda: found(f"repo:{REPO} is:issue is:closed"), ["It barks"])
    refused("search_issues elsewhere", 422, lambda: found("repo:octo/none is:pr"))


def merging(pull):
    draft = ok("create draft", lambda: repo[ANA].create_pull(base="main", head="other", title="Other", draft=True))
    refused("merge a draft", 405, lambda: draft.merge())
    refused("merge another head", 409, lambda: pull.merge(sha="0" * 40))
    clash = ok("create clashing", lambda: repo[ANA].create_pull(base="main", head="conflict", title="Clash"))
    ok("merge", lambda: repo[OCTO].get_pull(pull.number).merge(merge_method="squash").merged, True)
    ok("is_merged", lambda: pull.is_merged(), True)
    refused("merge once more", 405, lambda: pull.merge())
    refused("merge a conflict", 405, lambda: repo[OCTO].get_pull(clash.number).merge())
    ok("update_branch", lambda: draft.update_branch(), True)
    timeline = ok("pull's timeline", lambda: [e.event for e in pull.as_issue().get_timeline()])
    ok("timeline tells of", lambda: {"committed", "reviewed", "commented", "merged", "closed"} <= set(timeline), True)
    ok("pages", lambda: pages(), 4)
    ok("get_rate_limit", lambda: ANA.get_rate_limit().rate.limit > 0, True)


def pages():
    """All issues and pull requests, one a page."""
    ANA.per_page = 1
    try:
        return len(list(repo[ANA].get_issues(state="all")))
    finally:
        ANA.per_page = 30


accounts()
repository()
collaborators()
labels()
issues()
opened = pulls()
reviews(opened)
checks(opened)
searching()
merging(opened)
