"""Creation and deletion of topics, topic names and configurations."""
