package dev.rush.http;

import java.util.concurrent.CompletionException;

/** Carries a problem to the client from code that cannot return a value. Has no stack trace. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    /** An exception that carries the client's answer. */
    public ProblemException(Problem problem) {
        super(problem.code().text(), null, false, false);
        this.problem = problem;
    }

    /** Whether a failure, or its cause, is the problem {@code unavailable}. */
    public static boolean isUnavailable(Throwable failure) {
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause() : failure;
        return cause instanceof ProblemException problem
                && problem.problem.code() == OutcomeCode.UNAVAILABLE;
    }

    /** The problem for the client. */
    public Problem problem() {
        return problem;
    }
}
