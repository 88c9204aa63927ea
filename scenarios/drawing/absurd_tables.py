"""Absurd requests about tables of the cluster: configurations, quotas, credentials, ACLs."""

from collections.abc import Callable, Mapping

from kraftsim.controller.core import rpc

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


def _alter_some_configs(absurd: Absurd) -> rpc.IncrementalAlterConfigsRequest:
    def config() -> rpc.AlterableConfig:
        return rpc.AlterableConfig(
            name=_config(absurd), config_operation=absurd.int8(), value=absurd.text()
        )

    def resource() -> rpc.IncrementalAlterConfigsResource:
        kind, name = _resource(absurd)
        configs = absurd.many(config)
        return rpc.IncrementalAlterConfigsResource(
            resource_type=kind, resource_name=name, configs=configs
        )

    return rpc.IncrementalAlterConfigsRequest(
        resources=absurd.many(resource), validate_only=absurd.flag()
    )


def _alter_configs(absurd: Absurd) -> rpc.AlterConfigsRequest:
    def config() -> rpc.LegacyConfig:
        return rpc.LegacyConfig(name=_config(absurd), value=absurd.text())

    def resource() -> rpc.AlterConfigsResource:
        kind, name = _resource(absurd)
        configs = absurd.many(config)
        return rpc.AlterConfigsResource(resource_type=kind, resource_name=name, configs=configs)

    return rpc.AlterConfigsRequest(resources=absurd.many(resource), validate_only=absurd.flag())


def _describe_configs(absurd: Absurd) -> rpc.DescribeConfigsRequest:
    def resource() -> rpc.DescribeConfigsResource:
        kind, name = _resource(absurd)
        keys = absurd.many(lambda: _config(absurd)) if absurd.flag() else None
        return rpc.DescribeConfigsResource(
            resource_type=kind, resource_name=name, configuration_keys=keys
        )

    return rpc.DescribeConfigsRequest(
        resources=absurd.many(resource),
        include_synonyms=absurd.flag(),
        include_documentation=absurd.flag(),
    )


def _alter_quotas(absurd: Absurd) -> rpc.AlterClientQuotasRequest:
    def part() -> rpc.QuotaEntityData:
        kind = absurd.one_of(("user", "client-id", "ip", "", "no-such-entity"))
        return rpc.QuotaEntityData(entity_type=kind, entity_name=absurd.text())

    def operation() -> rpc.QuotaOperation:
        key, rate = absurd.one_of(QUOTAS), absurd.one_of(RATES)
        return rpc.QuotaOperation(key=key, value=rate, remove=absurd.flag())

    def entry() -> rpc.AlterClientQuotasEntry:
        return rpc.AlterClientQuotasEntry(entity=absurd.many(part), ops=absurd.many(operation))

    return rpc.AlterClientQuotasRequest(entries=absurd.many(entry), validate_only=absurd.flag())


def _alter_credentials(absurd: Absurd) -> rpc.AlterUserScramCredentialsRequest:
    def deletion() -> rpc.ScramCredentialDeletion:
        return rpc.ScramCredentialDeletion(name=absurd.name(), mechanism=absurd.int8())

    def upsertion() -> rpc.ScramCredentialUpsertion:
        return rpc.ScramCredentialUpsertion(
            name=absurd.name(),
            mechanism=absurd.int8(),
            iterations=absurd.one_of((absurd.int32(), 4096)),
            salt=absurd.data(),
            salted_password=absurd.data(),
        )

    return rpc.AlterUserScramCredentialsRequest(
        deletions=absurd.many(deletion), upsertions=absurd.many(upsertion)
    )


def _describe_credentials(absurd: Absurd) -> rpc.DescribeUserScramCredentialsRequest:
    users = absurd.many(lambda: rpc.UserName(name=absurd.name()))
    return rpc.DescribeUserScramCredentialsRequest(users=users if absurd.flag() else None)


def _create_acls(absurd: Absurd) -> rpc.CreateAclsRequest:
    def creation() -> rpc.AclCreation:
        return rpc.AclCreation(
            resource_type=absurd.one_of(KINDS),
            resource_name=absurd.name(),
            resource_pattern_type=absurd.one_of(KINDS),
            principal=absurd.one_of(("User:mallory", "", "nobody")),
            host=absurd.one_of(("*", "", "127.0.0.1")),
            operation=absurd.one_of(KINDS),
            permission_type=absurd.one_of(KINDS),
        )

    return rpc.CreateAclsRequest(creations=absurd.many(creation))


def _delete_acls(absurd: Absurd) -> rpc.DeleteAclsRequest:
    def wanted() -> rpc.DeleteAclsFilter:
        return rpc.DeleteAclsFilter(
            resource_type_filter=absurd.one_of(KINDS),
            resource_name_filter=absurd.text(),
            pattern_type_filter=absurd.one_of(KINDS),
            principal_filter=absurd.text(),
            host_filter=absurd.text(),
            operation=absurd.one_of(KINDS),
            permission_type=absurd.one_of(KINDS),
        )

    return rpc.DeleteAclsRequest(filters=absurd.many(wanted))


def _describe_acls(absurd: Absurd) -> rpc.DescribeAclsRequest:
    return rpc.DescribeAclsRequest(
        resource_type_filter=absurd.one_of(KINDS),
        resource_name_filter=absurd.text(),
        pattern_type_filter=absurd.one_of(KINDS),
        principal_filter=absurd.text(),
        host_filter=absurd.text(),
        operation=absurd.one_of(KINDS),
        permission_type=absurd.one_of(KINDS),
    )


OF_TABLES: Mapping[type[rpc.Request], Callable[[Absurd], rpc.Request]] = {
    rpc.IncrementalAlterConfigsRequest: _alter_some_configs,
    rpc.AlterConfigsRequest: _alter_configs,
    rpc.DescribeConfigsRequest: _describe_configs,
    rpc.AlterClientQuotasRequest: _alter_quotas,
    rpc.AlterUserScramCredentialsRequest: _alter_credentials,
    rpc.DescribeUserScramCredentialsRequest: _describe_credentials,
    rpc.CreateAclsRequest: _create_acls,
    rpc.DeleteAclsRequest: _delete_acls,
    rpc.DescribeAclsRequest: _describe_acls,
}
