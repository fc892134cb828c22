"""groupme-push (PyPI) as an independent tester: what it does over plain HTTP."""

import pytest
import requests
from groupme_push.client import PushClient
from groupme_push.exceptions import AuthenticationError


def test_it_lists_groups_by_id_and_name(elsewhere):
    _, token, _ = elsewhere.registers("Ana")
    made = []
    for name in ("Climbers", "Crew ❤️"):
        answer = requests.post(
            "https://api.groupme.com/v3/groups", headers={"X-Access-Token": token}, json={"name": name}
        )
        made.append((answer.json()["response"]["id"], name))
    client = PushClient(token)
    assert sorted(client.list_groups()) == sorted(made)
    assert len(client.list_groups(per_page=1)) == 1


def test_it_learns_the_number_of_its_user(elsewhere):
    user, token, _ = elsewhere.registers("Ana")
    assert PushClient(token)._fetch_user_id() == int(user)


@pytest.mark.parametrize("ask", [PushClient.list_groups, PushClient._fetch_user_id])
def test_a_wrong_token_is_told_as_such(elsewhere, ask):
    with pytest.raises(AuthenticationError, match="HTTP 401"):
        ask(PushClient("nobody"))
