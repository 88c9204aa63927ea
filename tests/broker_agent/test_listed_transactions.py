"""What a broker without transactions replies to ListTransactions."""

from kraftsim.broker_agent.data_plane import list_transactions
from kraftsim.controller.core.rpc.transactions import ListTransactionsRequest


def test_states_that_kafka_does_not_know_are_named() -> None:
    """TransactionStateManager.listTransactionStates: states are case-sensitive."""
    request = ListTransactionsRequest(state_filters=("Ongoing", "ongoing", "Done"))

    response = list_transactions(request)

    assert response.unknown_state_filters == ("ongoing", "Done")
    assert response.transaction_states == ()
