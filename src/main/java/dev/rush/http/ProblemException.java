package dev.rush.http;

/** A problem on its way to the client from where no value can be returned. Costs no stack trace. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    /** An exception that carries the client's answer. */
    public ProblemException(Problem problem) {
        super(problem.word().text(), null, false, false);
        this.problem = problem;
    }

    /** What the client is told. */
    public Problem problem() {
        return problem;
    }
}
