"""One module for each event this plugin answers; each holds `answer(event, env)`."""
