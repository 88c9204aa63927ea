"""DescribeUserScramCredentials (50) from an image of the metadata: a broker answers it."""

from collections import Counter
from collections.abc import Collection

from .. import rpc
from ..errors import ErrorCode
from ..hash_order import in_hash_order
from ..image.image import Image
from ..log.records import UserScramCredentialRecord

_ABSENT = "Attempt to describe a user credential that does not exist: "
_TWICE = "Cannot describe SCRAM credentials for the same user twice in a single request: "


def describe_user_scram_credentials(
    image: Image, request: rpc.DescribeUserScramCredentialsRequest
) -> rpc.DescribeUserScramCredentialsResponse:
    """Returns mechanisms and iterations of the users of a request, or of every user."""
    counts = Counter(user.name for user in request.users or ())
    if not counts:
        counts = Counter({credential.name for credential in _credentials(image)})
    return rpc.DescribeUserScramCredentialsResponse(
        results=tuple(
            _refusal(name, ErrorCode.DUPLICATE_RESOURCE, _TWICE)
            if counts[name] > 1
            else _described(image, name)
            for name in in_hash_order(counts)
        )
    )


def _credentials(image: Image) -> Collection[UserScramCredentialRecord]:
    return image.kept(UserScramCredentialRecord).values()


def _refusal(name: str, code: ErrorCode, text: str) -> rpc.DescribeUserScramCredentialsResult:
    return rpc.DescribeUserScramCredentialsResult(
        user=name, error_code=code, error_message=f"{text}{name}"
    )


def _described(image: Image, name: str) -> rpc.DescribeUserScramCredentialsResult:
    infos = tuple(
        rpc.CredentialInfo(mechanism=credential.mechanism, iterations=credential.iterations)
        for credential in sorted(_credentials(image), key=lambda credential: credential.mechanism)
        if credential.name == name
    )
    if not infos:
        return _refusal(name, ErrorCode.RESOURCE_NOT_FOUND, _ABSENT)
    return rpc.DescribeUserScramCredentialsResult(user=name, credential_infos=infos)
