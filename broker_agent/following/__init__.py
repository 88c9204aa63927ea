"""What a broker fetches from leaders in other processes."""
