"""Absurd requests about tables of the cluster: configurations, quotas, credentials, ACLs."""

from collections.abc import Callable, Mapping

from kraftsim.controller.core.rpc import Request
from kraftsim.controller.core.rpc.acls import (
    AclCreation,
    CreateAclsRequest,
    DeleteAclsFilter,
    DeleteAclsRequest,
    DescribeAclsRequest,
)
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
    DescribeConfigsRequest,
    DescribeConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
    LegacyConfig,
)
from kraftsim.controller.core.rpc.quotas import (
    AlterClientQuotasEntry,
    AlterClientQuotasRequest,
    QuotaEntityData,
    QuotaOperation,
)
from kraftsim.controller.core.rpc.scram import (
    AlterUserScramCredentialsRequest,
    DescribeUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
    UserName,
)

from .absurd import Absurd

RESOURCE_TYPES = (-128, 0, 2, 4, 8, 16, 32, 127)
CONFIGS = ("retention.ms", "min.insync.replicas", "no.such.config", "", "advertised.listeners")
QUOTAS = ("producer_byte_rate", "request_percentage", "no.such.quota", "")
RATES = (float("nan"), float("-inf"), -1.0, 0.0, 0.5, 1e308)
KINDS = (-128, 1, 2, 3, 12, 127)  # of ACLs; requests with 0, UNKNOWN, end the connection


def _config(absurd: Absurd) -> str:
    return absurd.one_of((*CONFIGS, absurd.name()))


def _resource(absurd: Absurd) -> tuple[int, str]:
    return absurd.one_of(RESOURCE_TYPES), absurd.name()


def _alter_some_configs(absurd: Absurd) -> IncrementalAlterConfigsRequest:
    def config() -> AlterableConfig:
        return AlterableConfig(
            name=_config(absurd), config_operation=absurd.int8(), value=absurd.text()
        )

    def resource() -> IncrementalAlterConfigsResource:
        kind, name = _resource(absurd)
        configs = absurd.many(config)
        return IncrementalAlterConfigsResource(
            resource_type=kind, resource_name=name, configs=configs
        )

    return IncrementalAlterConfigsRequest(
        resources=absurd.many(resource), validate_only=absurd.flag()
    )


def _alter_configs(absurd: Absurd) -> AlterConfigsRequest:
    def config() -> LegacyConfig:
        return LegacyConfig(name=_config(absurd), value=absurd.text())

    def resource() -> AlterConfigsResource:
        kind, name = _resource(absurd)
        configs = absurd.many(config)
        return AlterConfigsResource(resource_type=kind, resource_name=name, configs=configs)

    return AlterConfigsRequest(resources=absurd.many(resource), validate_only=absurd.flag())


def _describe_configs(absurd: Absurd) -> DescribeConfigsRequest:
    def resource() -> DescribeConfigsResource:
        kind, name = _resource(absurd)
        keys = absurd.many(lambda: _config(absurd)) if absurd.flag() else None
        return DescribeConfigsResource(
            resource_type=kind, resource_name=name, configuration_keys=keys
        )

    return DescribeConfigsRequest(
        resources=absurd.many(resource),
        include_synonyms=absurd.flag(),
        include_documentation=absurd.flag(),
    )


def _alter_quotas(absurd: Absurd) -> AlterClientQuotasRequest:
    def part() -> QuotaEntityData:
        kind = absurd.one_of(("user", "client-id", "ip", "", "no-such-entity"))
        return QuotaEntityData(entity_type=kind, entity_name=absurd.text())

    def operation() -> QuotaOperation:
        key, rate = absurd.one_of(QUOTAS), absurd.one_of(RATES)
        return QuotaOperation(key=key, value=rate, remove=absurd.flag())

    def entry() -> AlterClientQuotasEntry:
        return AlterClientQuotasEntry(entity=absurd.many(part), ops=absurd.many(operation))

    return AlterClientQuotasRequest(entries=absurd.many(entry), validate_only=absurd.flag())


def _alter_credentials(absurd: Absurd) -> AlterUserScramCredentialsRequest:
    def deletion() -> ScramCredentialDeletion:
        return ScramCredentialDeletion(name=absurd.name(), mechanism=absurd.int8())

    def upsertion() -> ScramCredentialUpsertion:
        return ScramCredentialUpsertion(
            name=absurd.name(),
            mechanism=absurd.int8(),
            iterations=absurd.one_of((absurd.int32(), 4096)),
            salt=absurd.data(),
            salted_password=absurd.data(),
        )

    return AlterUserScramCredentialsRequest(
        deletions=absurd.many(deletion), upsertions=absurd.many(upsertion)
    )


def _describe_credentials(absurd: Absurd) -> DescribeUserScramCredentialsRequest:
    users = absurd.many(lambda: UserName(name=absurd.name()))
    return DescribeUserScramCredentialsRequest(users=users if absurd.flag() else None)


def _create_acls(absurd: Absurd) -> CreateAclsRequest:
    def creation() -> AclCreation:
        return AclCreation(
            resource_type=absurd.one_of(KINDS),
            resource_name=absurd.name(),
            resource_pattern_type=absurd.one_of(KINDS),
            principal=absurd.one_of(("User:mallory", "", "nobody")),
            host=absurd.one_of(("*", "", "127.0.0.1")),
            operation=absurd.one_of(KINDS),
            permission_type=absurd.one_of(KINDS),
        )

    return CreateAclsRequest(creations=absurd.many(creation))


def _delete_acls(absurd: Absurd) -> DeleteAclsRequest:
    def wanted() -> DeleteAclsFilter:
        return DeleteAclsFilter(
            resource_type_filter=absurd.one_of(KINDS),
            resource_name_filter=absurd.text(),
            pattern_type_filter=absurd.one_of(KINDS),
            principal_filter=absurd.text(),
            host_filter=absurd.text(),
            operation=absurd.one_of(KINDS),
            permission_type=absurd.one_of(KINDS),
        )

    return DeleteAclsRequest(filters=absurd.many(wanted))


def _describe_acls(absurd: Absurd) -> DescribeAclsRequest:
    return DescribeAclsRequest(
        resource_type_filter=absurd.one_of(KINDS),
        resource_name_filter=absurd.text(),
        pattern_type_filter=absurd.one_of(KINDS),
        principal_filter=absurd.text(),
        host_filter=absurd.text(),
        operation=absurd.one_of(KINDS),
        permission_type=absurd.one_of(KINDS),
    )


OF_TABLES: Mapping[type[Request], Callable[[Absurd], Request]] = {
    IncrementalAlterConfigsRequest: _alter_some_configs,
    AlterConfigsRequest: _alter_configs,
    DescribeConfigsRequest: _describe_configs,
    AlterClientQuotasRequest: _alter_quotas,
    AlterUserScramCredentialsRequest: _alter_credentials,
    DescribeUserScramCredentialsRequest: _describe_credentials,
    CreateAclsRequest: _create_acls,
    DeleteAclsRequest: _delete_acls,
    DescribeAclsRequest: _describe_acls,
}
