"""The OpenAPI document: valid, and true of the service that serves it."""

import json
import re
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from openapi_schema_validator import OAS30Validator
from openapi_spec_validator import OpenAPIV30SpecValidator
from referencing import Registry
from referencing.jsonschema import DRAFT4

import photos
import vector_tiles
from people import fresh, sign_up
from service import CLIENT, KEYS, MASTER, REPOSITORY, Service

DOCUMENT = json.loads((REPOSITORY / "web/openapi.json").read_text())
METHODS = ("get", "post", "put", "delete")


def resolved(value):
    """A part of the document, or what it refers to."""
    while "$ref" in value:
        name = value["$ref"].removeprefix("#/").split("/")
        value = DOCUMENT
        for part in name:
            value = value[part]
    return value


def operations():
    """Path template, method and operation, in the order of the document."""
    return [
        (template, method, item[method])
        for template, item in DOCUMENT["paths"].items() for method in item if method in METHODS]


def examples():
    return [
        pytest.param(method, operation, example, id=f"{operation['operationId']}-{number}")
        for template, method, operation in operations()
        for number, example in enumerate(operation["x-examples"])]


def parameters(operation, place):
    found = map(resolved, operation.get("parameters", []))
    return {parameter["name"]: parameter for parameter in found if parameter["in"] == place}


def first_success(operation):
    """The first example that ends well."""
    return next(example for example in operation["x-examples"] if example["status"] == 200)


#: Operations whose parameters the service judges one by one and names. Those of directions have
#: OSRM's errors and tests of their own.
JUDGED = pytest.mark.parametrize("template,operation", [
    pytest.param(template, operation, id=operation["operationId"])
    for template, method, operation in operations()
    if method == "get" and not template.startswith((
        "/parse", "/health", "/v1", "/route/", "/table/", "/trip/", "/nearest/"))])


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The still demo city, which the examples speak of."""
    KEYS["GEOSERVICE_MAIL"] = "file"
    try:
        service = Service(tmp_path_factory.mktemp("openapi") / "data", "--demo=still")
    finally:
        del KEYS["GEOSERVICE_MAIL"]
    yield service
    assert service.stop() == 0


def some_file(service):
    """The name of a picture that was sent."""
    sent = service.request(
        "POST", "/parse/files/dots.png", photos.photo("PNG", width=200, height=100), CLIENT)
    return sent.json()["name"]


def filled(example, service):
    """An example with somebody in the place of `{userId}`, `{sessionToken}` and the like."""
    text = json.dumps(example)
    if not re.search(r"\{[a-zA-Z]+\}", text):
        return example
    person = sign_up(service, email=f"{fresh()}@example.org")
    role = person.call("POST", "/roles", {
        "name": fresh("role"), "ACL": {"*": {"read": True}, person.id: {"write": True}}})
    device = fresh("device")
    installation = person.call(
        "POST", "/installations", {"installationId": device, "deviceType": "ios"})
    values = {
        "device": device, "deviceObject": installation.json()["objectId"],
        "userId": person.id, "sessionToken": person.token, "username": person.name,
        "email": person.me()["email"], "roleId": role.json()["objectId"], "newName": fresh(),
        "fileName": some_file(service), "sessionId": person.call("GET", "/sessions/me").json()["objectId"]}
    return json.loads(re.sub(r"\{([a-zA-Z]+)\}", lambda found: values[found[1]], text))


#: The document by the name that references get when they are looked up.
SCHEMAS = Registry().with_resource("document", DRAFT4.create_resource(DOCUMENT))


def check(value, schema):
    """Compares a value with a schema of the document."""
    schema = json.loads(json.dumps(schema).replace('"#/', '"document#/'))
    errors = list(OAS30Validator(schema, registry=SCHEMAS).iter_errors(value))
    assert not errors, "\n".join(f"{list(error.path)}: {error.message[:300]}" for error in errors)


def keys_of(operation):
    """What an operation that the document gives to the master key alone is asked with."""
    return MASTER if "security" in operation else {}


def problem_of(service, path, operation, **changes):
    """The answer to a path with some query parameters set to other values."""
    parts = urlsplit(path)
    query = {**dict(parse_qsl(parts.query)), **changes}
    answer = service.get(f"{parts.path}?{urlencode(query)}", keys_of(operation))
    return answer.status, answer.json() if answer.body[:1] == b"{" else {}


def test_the_document_is_valid():
    OpenAPIV30SpecValidator(DOCUMENT).validate()


def test_names_of_operations_differ():
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(names) == len(set(names))


def test_examples_of_parameters_and_bodies_fit_their_schemas():
    for _, _, operation in operations():
        for place in ("path", "query", "header"):
            for parameter in parameters(operation, place).values():
                for value in (parameter.get("example"), parameter["schema"].get("default")):
                    if value is not None:
                        check(value, parameter["schema"])
        for content in operation.get("requestBody", {}).get("content", {}).values():
            if "example" in content:
                check(content["example"], content["schema"])


def test_it_is_served_with_the_address_that_was_asked_for(demo):
    answer = demo.get("/v1/api", {"Host": f"localhost:{demo.port}"})
    assert answer.headers["Content-Type"] == "application/vnd.oai.openapi+json;version=3.0"
    served = answer.json()
    assert served.pop("servers") == [{"url": f"http://localhost:{demo.port}"}]
    assert served == {key: value for key, value in DOCUMENT.items() if key != "servers"}
    assert demo.get("/v1/api").json()["servers"] == [{"url": demo.address}]
    tag = answer.headers["ETag"]
    again = demo.get("/v1/api", {"Host": f"localhost:{demo.port}", "If-None-Match": tag})
    assert (again.status, again.headers["ETag"]) == (304, tag)
    assert demo.get("/v1/api", {"If-None-Match": tag}).status == 200, "another address, another tag"


def test_every_operation_has_an_example_that_ends_well():
    for _, _, operation in operations():
        statuses = {example["status"] for example in operation["x-examples"]}
        assert statuses & {200, 201, 204}, operation["operationId"]


@pytest.mark.parametrize("method,operation,example", examples())
def test_an_example_is_answered_as_documented(demo, method, operation, example):
    example = filled(example, demo)
    headers = dict(example.get("headers", {}))
    if example.get("keys") != "none" and "security" in operation:
        # The last alternative is the one with the master key.
        is_master = "restKey" not in operation["security"][0]
        headers |= MASTER if is_master else CLIENT
    body = example.get("body")
    if isinstance(body, str):
        headers["Content-Type"] = example["contentType"]
        body = body.encode()
    answer = demo.request(method.upper(), example["path"], body, headers)
    assert answer.status == example["status"], answer.body
    documented = resolved(operation["responses"][str(answer.status)])
    for name, header in documented.get("headers", {}).items():
        assert answer.headers[name] is not None, f"the header {name}"
        check(answer.headers[name], resolved(header)["schema"])
    content = {type.split(";")[0]: value for type, value in documented.get("content", {}).items()}
    if not content:
        assert answer.body == b""
        return
    media_type = answer.headers["Content-Type"].split(";")[0]
    assert media_type in content
    if media_type.endswith("json"):
        check(answer.json(), content[media_type]["schema"])
    elif media_type == "application/vnd.mapbox-vector-tile":
        assert vector_tiles.decode(answer.body, "Spot")
    elif media_type == "text/csv":
        assert answer.body.startswith(b"id,lon,lat")
    else:
        assert answer.body.startswith((b"\x89PNG", b"PMTiles\x03", b"SQLite format 3\0"))


@JUDGED
def test_the_parameters_are_those_that_the_service_takes(demo, template, operation):
    status, problem = problem_of(
        demo, first_success(operation)["path"], operation, zz="1")
    assert status == 400 and problem["errors"][0]["field"] == "zz"
    taken = set(re.search("it takes (.*)$", problem["detail"])[1].split(", ")) - {"none"}
    documented = set(parameters(operation, "query"))
    # A few addresses take the filters that all share although nothing in them is filtered.
    assert documented <= taken, template
    assert taken - documented <= {"kind", "since", "until"}
    assert len(documented & {"kind", "since", "until"}) in (0, 3)


def wrong_values(schema):
    """Values that a schema does not allow."""
    if "minimum" in schema:
        yield schema["minimum"] - 1
    if "maximum" in schema:
        yield schema["maximum"] + 1
    if "enum" in schema or schema["type"] in ("integer", "number", "boolean"):
        yield "other"
    if "pattern" in schema:
        yield from ("1", "a,b,c,d")


def edge_values(schema):
    """The outermost values that a schema allows."""
    edges = [schema.get("minimum"), schema.get("maximum"), *schema.get("enum", [])]
    return [value for value in edges if value is not None]


#: What parameters of an export come with.
EXPORTED = {
    "style": {"tiles": "raster"}, "scale": {"tiles": "raster"}, "zoom": {"format": "png"},
    "size": {"format": "png"}, "palette": {"tiles": "raster", "style": "heat"},
    "halfLife": {"tiles": "raster", "style": "heat"}}


def with_company(template, name):
    """The query that a parameter has to stand in, apart from itself."""
    if name in ("palette", "halfLife") and template.startswith("/tiles/"):
        return {"style": "heat"}
    if template.startswith("/export/"):
        return EXPORTED.get(name, {})
    if template.startswith("/within/") and name != "bbox":
        return {"center": "13.4,52.5", **({} if name in ("center", "radius") else {"radius": 50})}
    return {"bbox": "13.40,52.50,13.41,52.51"} if template == "/clusters/{layer}" else {}


@JUDGED
def test_the_ranges_are_those_that_the_service_takes(demo, template, operation):
    path = first_success(operation)["path"]
    if template.startswith("/within/"):
        path = path.split("?")[0]
    for name, parameter in parameters(operation, "query").items():
        company = with_company(template, name)
        for value in wrong_values(parameter["schema"]):
            status, problem = problem_of(demo, path, operation, **{**company, name: value})
            assert status == 400, f"{name}={value}"
            assert problem["errors"][0]["field"] == name, f"{name}={value}"
        for value in edge_values(parameter["schema"]):
            status, problem = problem_of(demo, path, operation, **{**company, name: value})
            faults = [fault["field"] for fault in problem.get("errors", [])]
            # The least limit is less than there are clusters: that is another fault.
            assert name not in faults or "but the" in problem["detail"], problem


@JUDGED
def test_what_is_not_given_has_the_documented_default(demo, template, operation):
    path = first_success(operation)["path"].split("?")[0]
    needed = {
        name: parameter["example"] for name, parameter in parameters(operation, "query").items()
        if parameter.get("required")}
    if template.startswith("/within/"):
        needed["bbox"] = "13,52,14,53"
    if operation["operationId"] == "getLegend":
        needed["z"] = 12
    plain = demo.get(path, keys_of(operation), **needed)
    assert plain.status == 200, plain.body
    for name, parameter in parameters(operation, "query").items():
        default = parameter["schema"].get("default")
        if default is None or (name == "palette" and "style" not in needed):
            continue
        text = json.dumps(default) if isinstance(default, bool) else default
        stated = demo.get(path, keys_of(operation), **{**needed, name: text})
        assert stated.status == 200, stated.body
        # Links repeat the query, so that of pages the features are compared.
        if plain.headers["Content-Type"] == "application/geo+json":
            assert stated.json()["features"] == plain.json()["features"], name
        else:
            assert stated.body == plain.body, name


def test_keys_are_asked_for_where_the_document_says_so(demo):
    for template, method, operation in operations():
        path = re.sub(r"[{}]", "", operation["x-examples"][0]["path"])
        answer = demo.request(method.upper(), path)
        if "security" in operation:
            assert answer.status in (401, 403), f"{method} {template}"
            assert str(answer.status) in operation["responses"]
        else:
            assert answer.status not in (401, 403), f"{method} {template}"


def test_limits_of_every_request_are_documented_with_their_answers(demo):
    long = demo.get("/v1/collections/" + "x" * 9_000)
    wide = demo.get("/health", {"X-Wide": "x" * 17_000})
    foreign = demo.get("/health", {"Host": "maps.example.org"})
    other = demo.request("DELETE", "/health")
    for status, answer in [(414, long), (431, wide), (421, foreign), (405, other)]:
        assert answer.status == status
        for _, _, operation in operations():
            assert str(status) in operation["responses"]
        documented = resolved(DOCUMENT["paths"]["/health"]["get"]["responses"][str(status)])
        check(answer.json(), documented["content"]["application/problem+json"]["schema"])
    assert "Allow" in other.headers
