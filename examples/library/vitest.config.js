export default {
  test: {
    include: ['acl-migration.test.js'],
    // Virtual time passes faster than real time, but minutes of it take seconds.
    testTimeout: 60_000,
  },
}
