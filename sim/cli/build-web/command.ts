import { compareText, textOf, utf8 } from '../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { problemText } from '../../scenario/language/load.ts'
import { parseYaml, scenarioBytesMax } from '../../scenario/language/yaml-document.ts'
import { readText, writeText } from '../files.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { lessonsOf } from './lessons.ts'
import { simulatorScript } from './simulator-script.ts'
import { type PageScenario, pageMark, webPage } from './web-page.ts'

/** Bytes at the beginning of a page in which its mark stands. */
const headBytes = 200

export interface BuildWebFlags {
  /** Numbers or names of lessons, or `all`. */
  readonly lesson?: readonly string[]
}

/** `svc-sim build-web`: writes the page, and says what to do with it. */
export async function buildWeb(named: string, { lesson = [] }: BuildWebFlags, terminal: SimTerminal): Promise<number> {
  const folder = named.replace(/(?<=.)\/+$/, '')
  const file = `${folder}/index.html`
  const page = await pageFor(folder, file, lesson, terminal)
  if (!page.ok) {
    terminal.error(`${page.error}\n`)
    return exits.usage
  }
  if (!(await writeText(terminal, file, page.value.text, 'everybody'))) return exits.usage
  const megabytes = (utf8(page.value.text).length / 1_000_000).toFixed(1)
  const { scenarios, lessons } = page.value
  const withLessons = lessons === 0 ? '' : ` and ${lessons} ${lessons === 1 ? 'lesson' : 'lessons'}`
  terminal.out(
    `${file}: ${megabytes} MB, with ${scenarios} scenarios${withLessons}. Open it in a browser, or publish the folder on any file server.\n`,
  )
  return exits.passed
}

interface Made {
  readonly text: string
  readonly scenarios: number
  readonly lessons: number
}

async function pageFor(
  folder: string,
  file: string,
  named: readonly string[],
  terminal: SimTerminal,
): Promise<Result<Made, string>> {
  const files = terminal.webFiles()
  if (!files.ok) return files
  const problem = await folderProblem(folder, file, terminal)
  if (problem !== undefined) return err(problem)
  const scenarios = await scenariosOf(terminal)
  if (!scenarios.ok) return scenarios
  const lessons = await lessonsOf(named, folder, terminal)
  if (!lessons.ok) return lessons
  const { build, gzip, pageTemplate } = terminal
  const content = { scenarios: scenarios.value, ...lessons.value }
  const text = webPage(pageTemplate('tab'), simulatorScript(files.value, build), content, gzip)
  return ok({ text, scenarios: scenarios.value.length, lessons: lessons.value.lessons.length })
}

/** Why the page cannot be written there; undefined: the folder exists, and has no other page of this name. */
async function folderProblem(folder: string, file: string, { disk }: SimTerminal): Promise<string | undefined> {
  const made = await disk.makeDirectory(folder)
  if (!made.ok) {
    const { kind } = made.error
    if (kind === 'exists' || kind === 'not-directory') return `${folder}: is not a folder: name another one`
    return `${folder}: cannot be made (${kind}): name another folder`
  }
  const opened = await disk.open(file, 'read')
  if (!opened.ok) {
    const { kind } = opened.error
    return kind === 'not-found' ? undefined : `${file}: cannot be read (${kind}): name another folder`
  }
  const head = await opened.value.read(0, headBytes)
  await opened.value.close()
  if (head.ok && textOf(head.value).includes(pageMark)) return undefined
  return `${file}: is there, and was not made by build-web: name another folder, or remove it`
}

/** For the messages about a shipped scenario that cannot be read. */
const shipped = { bytesMax: scenarioBytesMax, instead: 'name another one', tooLarge: 'make it smaller' }

/** The scenarios that the page offers: those for users, without hunts, regressions and those that take minutes. */
async function scenariosOf({ disk, shippedScenarios }: SimTerminal): Promise<Result<readonly PageScenario[], string>> {
  const scenarios: PageScenario[] = []
  for (const path of shippedScenarios()) {
    const name = /(?:^|\/)scenarios\/([^/]+)\.yaml$/.exec(path)?.[1]
    if (name === undefined) continue
    const text = await readText(disk, path, shipped)
    if (!text.ok) return text
    const yaml = parseYaml(path, text.value)
    if (!yaml.ok) return err(yaml.error.map(problemText).join('\n'))
    const { scenario: title, about = '' } = yaml.value.value as { readonly scenario: string; readonly about?: string }
    scenarios.push({ name, file: `scenarios/${name}.yaml`, title, about: about.trim(), text: text.value })
  }
  return ok(scenarios.toSorted((one, other) => compareText(one.title, other.title)))
}
