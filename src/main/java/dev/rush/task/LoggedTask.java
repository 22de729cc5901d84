package dev.rush.task;

import org.jboss.logging.Logger;

/**
 * A task for a {@code ScheduledExecutorService}, which silently stops repeating a task that throws:
 * every exception and error is logged instead.
 *
 * @param name what the task does, for the log
 * @param work one round
 */
public record LoggedTask(String name, Runnable work) implements Runnable {

    private static final Logger LOG = Logger.getLogger(LoggedTask.class);

    @Override
    public void run() {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            LOG.errorf(e, "The task \"%s\" failed; it will run again", name);
        }
    }
}
