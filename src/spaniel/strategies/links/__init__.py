"""Links between documents, followed hop by hop. The entry point is `follow_links`."""
