package example.accounts;

/** Hashes passwords; the same password has the same hash. */
public interface Hasher {
    String hash(String password);
}
