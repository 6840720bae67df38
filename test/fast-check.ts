import fc from 'fast-check'

/**
 * fast-check with a fixed seed: the gate tries the same cases each time, so that what it finds is the change under
 * test. New cases are for `npm run test:long`, which draws its seed; SVC_TEST_SEED gives one. A failure prints seed and
 * path.
 *
 * `numRuns` must be whole: fast-check counts down to a number that a fraction never meets, and tries cases for ever.
 */
const given = process.env['SVC_TEST_SEED']
if (given !== undefined) fc.configureGlobal({ seed: Number(given) })
else if (process.env['SVC_TEST_LONG'] !== '1') fc.configureGlobal({ seed: 20_260_401 })

export { fc }
