import { readFileSync } from 'node:fs'

/**
 * Prints how a run of the gate ended: `N passed, N failed, N skipped`, alone on the last line, from Vitest's JSON report
 * (first argument) and the names of failed steps (the others). A test file that could not be loaded and a missing report
 * count as failures; a run without a single test has failed too. Exits 1 on any failure.
 */
function summarize(report, failedSteps) {
  const files = report?.testResults ?? []
  const tests = files.flatMap((file) => file.assertionResults)
  const count = (...statuses) => tests.filter((test) => statuses.includes(test.status)).length
  const broken = files.filter((file) => file.status === 'failed' && !file.assertionResults.some(isFailed))
  const otherSteps = failedSteps.filter((step) => step !== 'test')
  const passed = count('passed')
  const known = count('failed') + broken.length + otherSteps.length
  const unexplained = known === 0 && (failedSteps.length > 0 || passed === 0) ? 1 : 0
  return { passed, failed: known + unexplained, skipped: count('skipped', 'pending', 'todo', 'disabled') }
}

function isFailed(test) {
  return test.status === 'failed'
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    process.stdout.write(`no report of the tests: ${error.message}\n`)
    return undefined
  }
}

const [path, ...failedSteps] = process.argv.slice(2)
const { passed, failed, skipped } = summarize(read(path), failedSteps)
if (failedSteps.length > 0) process.stdout.write(`\nfailed steps: ${failedSteps.join(', ')}\n`)
process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`)
process.exitCode = failed === 0 ? 0 : 1
