"""Creation and deletion of topics, their names and configurations."""
