"""How the messages of a leader reach its followers, and what that makes of the ISR."""
