// Runs the checker of a student over histories: node driver.mjs CHECKER HISTORIES. `HISTORIES` is a file of JSON, an
// array of arrays of operations. Prints a line of JSON for each history, as soon as it is judged.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [checker, histories] = process.argv.slice(2)
const { isLinearizable } = await import(pathToFileURL(checker).href)
if (typeof isLinearizable !== 'function') throw new Error('checker.mjs exports no function isLinearizable')
for (const operations of JSON.parse(readFileSync(histories, 'utf8'))) {
  const verdict = isLinearizable(operations)
  if (typeof verdict !== 'boolean') throw new Error(`isLinearizable returned ${String(verdict)}, not true or false`)
  process.stdout.write(`\n${JSON.stringify({ verdict })}\n`)
}
