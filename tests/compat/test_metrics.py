"""prometheus-client (PyPI) as an independent reader of /metrics: Prometheus itself reads
the same format."""

import requests
from prometheus_client.parser import text_string_to_metric_families


def families(server):
    answer = requests.get(f"{server.url}/metrics", timeout=120)
    assert answer.status_code == 200, answer.text
    return {family.name: family for family in text_string_to_metric_families(answer.text)}


def test_every_line_is_understood_and_counted_once(server):
    _, token, _ = server.registers("Ana")
    headers = {"X-Access-Token": token}
    for _ in range(3):
        assert requests.get(f"{server.url}/v3/users/me", headers=headers, timeout=120).ok
    found = families(server)
    asked = [
        sample.value
        for sample in found["coterie_http_requests"].samples
        if sample.labels == {"method": "GET", "route": "/v3/users/me", "status": "200"}
    ]
    assert len(asked) == 1 and asked[0] >= 3
    for family in found.values():
        assert family.documentation, family.name
        assert family.type in {"counter", "gauge", "histogram"}, family
        names = [(sample.name, tuple(sorted(sample.labels.items()))) for sample in family.samples]
        assert len(names) == len(set(names)), family.name


def test_histograms_only_grow_from_bound_to_bound(server):
    server.registers("Ben")
    seen = 0
    for family in families(server).values():
        if family.type != "histogram":
            continue
        rows = {}
        for sample in family.samples:
            labels = {name: value for name, value in sample.labels.items() if name != "le"}
            row = rows.setdefault(tuple(sorted(labels.items())), {"buckets": []})
            if sample.name.endswith("_bucket"):
                row["buckets"].append((float(sample.labels["le"]), sample.value))
            elif sample.name.endswith("_count"):
                row["count"] = sample.value
        for labels, row in rows.items():
            assert row["buckets"] == sorted(row["buckets"]), (family.name, labels)
            counts = [count for _, count in row["buckets"]]
            assert counts == sorted(counts), (family.name, labels)
            assert row["buckets"][-1] == (float("inf"), row["count"]), (family.name, labels)
            seen += 1
    assert seen >= 3
