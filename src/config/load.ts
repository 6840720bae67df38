import { textOf } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Disk } from '../env/disk.ts'
import type { Env } from '../env/env.ts'
import { type Naming, svcNaming } from '../model/naming/naming.ts'
import { toldUnder } from '../model/naming/told.ts'
import {
  type Behaviour,
  isAtLeast,
  newestRelease,
  oldestRelease,
  parseRelease,
  type Release,
  releaseOf as releaseOfBehaviour,
  releaseText,
} from '../model/release.ts'
import { agentFlags } from './agent-flags.ts'
import { diskProblems } from './disk-problems.ts'
import { configOfFlags, flagAt } from './flags.ts'
import {
  configPaths,
  extensionOf,
  type Format,
  type Formats,
  type GivenFlags,
  listOf,
  skippedWhy,
} from './found-files.ts'
import { type Normalized, normalize } from './normalize.ts'
import { type ConfigProblem, followsFrom } from './problem.ts'
import { configKeys } from './schema.ts'
import { documentOf } from './sources/hcl-document.ts'
import { gather } from './sources/sources.ts'
import { type ExaminedFile, examineDocument } from './validate.ts'

/** Maximum size of a configuration file in bytes. */
const fileBytesMax = 8 << 20

export interface LoadedConfig extends Normalized {
  /** `file:line:column` of the key, or the flag, that took effect; `config` if none set it. */
  placeOf(path: readonly string[]): string
}

/**
 * Loads the configuration of an agent: list flags, then files in the order given (a directory's by name), then scalar
 * flags, then fragments of HCL; a later source wins. `more`: files and directories in the order given, in addition to
 * those of the flags. Errors in the form of all sources are reported together. Errors that only the whole can show are
 * reported with them if every source can be read, except those that may only follow from an error of form. Reference:
 * configuration.md#fact-1.
 */
export async function loadConfig(
  env: Pick<Env, 'disk' | 'machine'>,
  flags: GivenFlags,
  more: readonly string[] = [],
  program: Naming = svcNaming,
): Promise<Result<LoadedConfig, readonly ConfigProblem[]>> {
  const fromFlags = configOfFlags(flags)
  if (!fromFlags.ok) return fromFlags
  const format = formatOf(flags)
  if (!format.ok) return format
  const release = releaseOf(flags)
  if (!release.ok) return release
  const later = laterFlags(flags, release.value)
  if (later.length > 0) return err(later)
  const named: Formats = { format: format.value, release: release.value }
  const found = await configPaths(env.disk, flags, more, named)
  if (!found.ok) return found
  const files: ExaminedFile[] = []
  for (const path of found.value.paths) files.push(await fileAt(env.disk, path, named))
  const fragments = listOf(flags.get('hcl')).map((fragment) => readText('-hcl', fragment, 'hcl', named))
  const read = [...files, ...fragments]
  const told = (ofWhole: readonly ConfigProblem[]) => toldTogether(read, ofWhole).map((each) => toldIn(program, each))
  if (read.some(({ file }) => file === undefined)) return err(told([]))
  const { lists, scalars } = fromFlags.value
  const all = gather([
    { config: lists, placeOf: flagAt },
    ...files.flatMap(({ file }) => file ?? []),
    { config: scalars, placeOf: flagAt },
    ...fragments.flatMap(({ file }) => file ?? []),
  ])
  const { config, definitions, placeOf } = all
  const whole = normalize(config, flags.get('dev') === true, env.machine, definitions, release.value, placeOf, program)
  const onDisk = await diskProblems(env.disk, config, placeOf)
  const problems = told([...(whole.ok ? [] : whole.error), ...onDisk.problems])
  if (!whole.ok || problems.length > 0) return err(problems)
  const skipped = found.value.skipped.map((path) => `${path} was skipped: ${skippedWhy(named)}`)
  const otherwise = read.flatMap(({ file }) => file?.warnings ?? [])
  const warnings = [
    ...skipped,
    ...pastWarnings(release.value),
    ...otherwise,
    ...onDisk.warnings,
    ...whole.value.warnings,
  ]
  // Only as a flag, for one start: in a file it would also accept the next loss of the log, without a decision of the
  // operator.
  const acceptLostLog = flags.get('accept-lost-log') === true
  return ok({ ...whole.value, config: { ...whole.value.config, acceptLostLog }, warnings, placeOf })
}

/** Errors in the form of sources, and errors of the whole that cannot merely follow from them. */
function toldTogether(read: readonly ExaminedFile[], ofWhole: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const missing = read.flatMap((source) => source.missing)
  return [...read.flatMap(({ problems }) => problems), ...ofWhole.filter((problem) => !followsFrom(missing, problem))]
}

/** The remedy is a text of the program; the message contains what the user wrote. */
function toldIn(naming: Naming, problem: ConfigProblem): ConfigProblem {
  return { ...problem, remedy: toldUnder(naming, problem.remedy) }
}

/** The format of every file; undefined: each file's name decides. */
function formatOf(flags: GivenFlags): Result<Format | undefined, readonly ConfigProblem[]> {
  const given = flags.get('config-format')
  if (given === undefined || given === 'json' || given === 'hcl') return ok(given)
  return err([{ place: '-config-format', message: "-config-format must be either 'hcl' or 'json'", remedy: '' }])
}

/** The release that the agent is to run as; the newest by default. */
function releaseOf(flags: GivenFlags): Result<Release, readonly ConfigProblem[]> {
  const given = flags.get('release')
  if (given === undefined) return ok(newestRelease)
  const release = parseRelease(String(given))
  if (release !== undefined && isAtLeast(release, oldestRelease) && isAtLeast(newestRelease, release))
    return ok(release)
  const remedy = `write one from ${releaseText(oldestRelease)} to ${releaseText(newestRelease)}, with three numbers`
  return err([{ place: '-release', message: `there is no release ${JSON.stringify(given)}`, remedy }])
}

function pastWarnings(release: Release): readonly string[] {
  if (isAtLeast(release, newestRelease)) return []
  return [`runs as release ${releaseText(release)}, to learn or to rehearse: production runs the newest`]
}

/** Flags of later releases, by the change that introduced them. */
const flagsSince: ReadonlyMap<string, Behaviour> = new Map([
  ['hcl', 'hcl-files'],
  ['config-format', 'config-format'],
])

function laterFlags(flags: GivenFlags, release: Release): readonly ConfigProblem[] {
  return [...flags.keys()].flatMap((name) => {
    const path = agentFlags.find((flag) => flag.name === name)?.path?.join('.')
    const ofKey = configKeys().find((key) => key.name === path)?.since
    const brought = flagsSince.get(name)
    const since = brought === undefined ? parseRelease(ofKey ?? '') : releaseOfBehaviour(brought)
    if (since === undefined || isAtLeast(release, since)) return []
    const message = `flag provided but not defined: -${name}`
    return [{ place: `-${name}`, message, remedy: `it was introduced in ${releaseText(since)}` }]
  })
}

async function fileAt(disk: Disk, path: string, naming: Formats): Promise<ExaminedFile> {
  const text = await textOfFile(disk, path)
  const format = naming.format ?? extensionOf(path, naming) ?? 'json'
  return text.ok ? readText(path, text.value, format, naming) : unreadable(text.error)
}

async function textOfFile(disk: Disk, path: string): Promise<Result<string, readonly ConfigProblem[]>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return err([{ place: 'config', message: `Open failed on ${path}`, remedy: file.error.message }])
  const bytes = await file.value.read(0, fileBytesMax + 1)
  await file.value.close()
  if (bytes.ok && bytes.value.length > fileBytesMax)
    return err([{ place: 'config', message: `${path} is longer than 8 MiB`, remedy: 'split it' }])
  if (!bytes.ok) return err([{ place: 'config', message: `Read failed on ${path}`, remedy: bytes.error.message }])
  // Editors of other systems write a byte order mark, which belongs to no language. RFC 8259, section 8.1.
  return ok(textOf(bytes.value).replace(/^\ufeff/, ''))
}

function readText(name: string, text: string, format: Format, { release }: Formats): ExaminedFile {
  const document = documentOf(name, text, format)
  return document.ok ? examineDocument(document.value, release) : unreadable([document.error])
}

function unreadable(problems: readonly ConfigProblem[]): ExaminedFile {
  return { file: undefined, problems, missing: [] }
}
