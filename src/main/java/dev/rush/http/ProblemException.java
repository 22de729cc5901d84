package dev.rush.http;

/** Carries a problem to the client from code that cannot return a value. Has no stack trace. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    /** An exception that carries the client's answer. */
    public ProblemException(Problem problem) {
        super(problem.code().text(), null, false, false);
        this.problem = problem;
    }

    /** The problem for the client. */
    public Problem problem() {
        return problem;
    }
}
