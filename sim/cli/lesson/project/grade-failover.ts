import type { ProgramEnd } from '../../../bisect/workplace.ts'
import { faultyClients, faultyText } from '../../../lessons/faulty-clients.ts'
import type { Grade, Project } from '../../../lessons/projects.ts'
import type { SimTerminal } from '../../terminal.ts'
import { readProjectFile, shippedPath } from './folder.ts'
import { folderWith, lastLines, runNode } from './programs.ts'
import { libraryLink } from './start.ts'

const testFile = 'failover.test.mjs'
/** With the sound client a test must pass with each of these seeds. */
const soundSeeds = '1..3'
/** A faulty client is found if the test fails with any of these. */
const faultySeeds = ['1', '2..3'] as const

/** Runs `DIR/failover.test.mjs` with the sound client, with which it must pass, and with each faulty one. */
export async function gradeFailover(project: Project, dir: string, terminal: SimTerminal): Promise<Grade> {
  const test = await readProjectFile(`${dir}/${testFile}`, terminal)
  const sound = await readProjectFile(shippedPath(project, 'client.mjs', terminal), terminal)
  if (!test.ok) return { passed: false, lines: [test.error] }
  if (!sound.ok) return { passed: false, lines: [sound.error] }
  const passing = await runTest(test.value, sound.value, soundSeeds, terminal)
  if (passing.exit !== 0) {
    const lines = lastLines(`${passing.out}\n${passing.error}`)
    return { passed: false, lines: ['the test does not pass with the sound client:', ...lines] }
  }
  let found = 0
  for (const client of faultyClients) {
    const text = faultyText(sound.value, client)
    if (!text.ok) return { passed: false, lines: [text.error] }
    if (await isFound(test.value, text.value, terminal)) found++
  }
  const count = `the test fails with ${found} of ${faultyClients.length} faulty clients`
  return { passed: found === faultyClients.length, lines: ['the test passes with the sound client', count] }
}

async function isFound(test: string, client: string, terminal: SimTerminal): Promise<boolean> {
  for (const seeds of faultySeeds) if ((await runTest(test, client, seeds, terminal)).exit !== 0) return true
  return false
}

/** Runs a test beside a client, in a folder of its own. */
async function runTest(test: string, client: string, seeds: string, terminal: SimTerminal): Promise<ProgramEnd> {
  const files = [[testFile, test], ['client.mjs', client], ...libraryLink(terminal.libraryUrl())] as const
  const folder = await folderWith(files, terminal)
  if (!folder.ok) return { exit: undefined, isOverdue: false, out: '', error: folder.error }
  const end = await runNode(['--test', '--test-force-exit', '--test-reporter=tap', testFile], terminal, {
    folder: folder.value,
    environment: { SVC_SIM_SEEDS: seeds },
  })
  terminal.workplace.remove(folder.value)
  return end
}
