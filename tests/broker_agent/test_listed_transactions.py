"""What a broker without transactions replies to ListTransactions."""

import pytest

from kraftsim.broker_agent.client_match import is_expression
from kraftsim.broker_agent.data_plane import list_transactions
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc.transactions import ListTransactionsRequest


def test_states_that_kafka_does_not_know_are_named() -> None:
    """TransactionStateManager.listTransactionStates: states are case-sensitive."""
    request = ListTransactionsRequest(state_filters=("Ongoing", "ongoing", "Done"))

    response = list_transactions(request, is_expression)

    assert response.unknown_state_filters == ("ongoing", "Done")
    assert response.transaction_states == ()


@pytest.mark.parametrize(
    ("pattern", "is_valid"), [(None, True), ("", True), ("t.*", True), ("(", False)]
)
def test_a_pattern_that_is_no_regular_expression_is_refused(
    pattern: str | None, is_valid: bool
) -> None:
    """TransactionStateManager.listTransactionStates, also without transactions."""
    request = ListTransactionsRequest(
        state_filters=("Done",), producer_id_filters=(), transactional_id_pattern=pattern
    )

    response = list_transactions(request, is_expression)

    code = ErrorCode.NONE if is_valid else ErrorCode.INVALID_REGULAR_EXPRESSION
    assert response.error_code == code
    assert response.unknown_state_filters == (("Done",) if is_valid else ())
