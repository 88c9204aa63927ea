"""What can be explored: voters, a broker among controllers, two brokers and their partition."""
