import { err, ok, type Result } from '../../../../src/base/result.ts'
import { type Project, projectNamed, projects } from '../../../lessons/projects.ts'
import { shellWord } from '../../../report/shell-word.ts'
import { sessionDutyFile, spoiledModule } from '../../../self-test/project-bugs.ts'
import { writeText } from '../../files.ts'
import { exits, type SimTerminal } from '../../terminal.ts'
import { refused } from '../desk.ts'
import { readProjectFiles, shippedPath } from './folder.ts'

export interface ProjectFlags {
  /** Writes the files anew. */
  readonly reset?: boolean
}

/** `svc-sim lesson project list`. */
export function listProjects(terminal: SimTerminal): number {
  for (const { number, title, hours } of projects)
    terminal.out(`${String(number).padStart(3)}  ${title}, ${hours} hours\n`)
  return exits.passed
}

/** `svc-sim lesson project start`: copies the files of a project into a folder. */
export async function startProject(
  named: string,
  dir: string,
  { reset = false }: ProjectFlags,
  terminal: SimTerminal,
): Promise<number> {
  const project = projectNamed(named)
  if (project === undefined) return refused([unknownProject(named)], terminal)
  const files = await filesOf(project, terminal)
  if (!files.ok) return refused([files.error], terminal)
  const stayed: string[] = []
  for (const [name, text] of files.value) {
    const path = `${dir}/${name}`
    const isThere = !reset && (await terminal.disk.stat(path)).ok
    if (isThere) stayed.push(name)
    else if (!(await written(path, text, terminal))) return exits.usage
  }
  terminal.out(`Project ${project.number}: ${project.title} (${project.hours} hours)\n`)
  terminal.out(`Read ${dir}/README.md. Then: svc-sim lesson project check ${project.number} ${shellWord(dir)}\n`)
  if (stayed.length > 0) terminal.out(`Kept as you left them: ${stayed.join(', ')}. --reset writes them anew.\n`)
  return exits.passed
}

export function unknownProject(named: string): string {
  return `there is no project '${named}': see svc-sim lesson project list`
}

async function written(path: string, text: string, terminal: SimTerminal): Promise<boolean> {
  const folder = path.slice(0, path.lastIndexOf('/'))
  const made = await terminal.disk.makeDirectory(folder)
  if (made.ok) return writeText(terminal, path, text)
  terminal.error(`${folder}: cannot be made (${made.error.kind}): name another folder\n`)
  return false
}

async function filesOf(project: Project, terminal: SimTerminal): Promise<Result<ReadonlyMap<string, string>, string>> {
  const paths = new Map(project.files.map((file) => [file, shippedPath(project, file, terminal)]))
  const texts = await readProjectFiles(paths, terminal)
  if (!texts.ok) return texts
  const made = await madeFiles(project, terminal)
  return made.ok ? ok(new Map([...texts.value, ...made.value])) : err(made.error)
}

/** The files of a project that depend on this program. */
async function madeFiles(
  { kind }: Project,
  terminal: SimTerminal,
): Promise<Result<readonly (readonly [string, string])[], string>> {
  if (kind === 'failover') return ok(libraryLink(terminal.libraryUrl()))
  if (kind === 'checker') return ok([])
  const spoiled = spoiledModule(terminal.createWorkshop())
  return spoiled.ok ? ok([[sessionDutyFile.split('/').at(-1) ?? sessionDutyFile, spoiled.value]]) : spoiled
}

/** A package `svc` that only leads to this program, so that a test finds `svc/sim` in any folder. */
export function libraryLink(url: string): readonly (readonly [string, string])[] {
  const manifest = { name: 'svc', type: 'module', exports: { './sim': './sim.js' } }
  return [
    ['node_modules/svc/package.json', `${JSON.stringify(manifest, undefined, 2)}\n`],
    ['node_modules/svc/sim.js', `export * from ${JSON.stringify(url)}\n`],
  ]
}
