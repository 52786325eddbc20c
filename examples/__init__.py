"""Programs that use Spaniel."""
