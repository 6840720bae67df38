import { err, ok, type Result } from '../../base/result.ts'
import { ApiClient, failed, misused, serverFlags, wholeStateMs } from '../api/client.ts'
import type { CliCommand, Invocation } from '../command.ts'
import { readLosses } from '../guards/reads.ts'
import { formatFlag, printListing } from '../listing.ts'
import { formatTable } from '../output.ts'
import { sizeText, type TellBytes, withProgress } from '../progress.ts'

export const saveSnapshotCommand: CliCommand = {
  path: ['snapshot', 'save'],
  summary: 'Saves a snapshot of the state of the servers',
  operands: 'FILE',
  about: 'The whole state at one moment. It contains secrets: only its owner may read the file.',
  flags: serverFlags,
  async run(invocation) {
    const file = oneFile(invocation)
    if (!file.ok) return misused(invocation, file.error)
    const client = new ApiClient(invocation)
    const answer = await withProgress(invocation, 'Reading the state', (told) => stateOf(client, told))
    if (!answer.ok) return failed(invocation, `Error saving snapshot: ${answer.error}`)
    const { writeArchiveFile } = await import('../files/archives.ts')
    const read = await verified(invocation, answer.value)
    if (!read.ok) return failed(invocation, `Error verifying snapshot: ${read.error}`)
    const written = await writeArchiveFile(invocation.env.disk, file.value, answer.value)
    if (!written.ok) return failed(invocation, `Error writing snapshot file: ${written.error}`)
    invocation.terminal.out(`Saved and verified snapshot to index ${read.value.meta.index}\n`)
    return 0
  },
}

export const restoreSnapshotCommand: CliCommand = {
  path: ['snapshot', 'restore'],
  summary: 'Restores a snapshot of the state of the servers',
  operands: 'FILE',
  about: 'The archive replaces the whole state of the servers; the set of servers stays as it is.',
  flags: [
    { name: 'dry-run', kind: 'bool', help: 'Change nothing; say what would be added, removed and changed.' },
    ...serverFlags,
  ],
  guard: {
    when: 'the state has records that the archive lacks, or others in their place',
    says: 'the command sets the state back to index …: it removes … records and gives … an earlier value (…).',
    losses: (invocation) =>
      readLosses(invocation, async (reads) =>
        (await import('../guards/data-losses.ts')).restoredState(reads, invocation),
      ),
  },
  async run(invocation) {
    const archive = await givenArchive(invocation)
    if (!archive.ok) return failed(invocation, archive.error)
    if (invocation.flags.get('dry-run') === true) return compare(invocation, archive.value)
    const read = await verified(invocation, archive.value)
    if (!read.ok) return failed(invocation, `Error restoring snapshot: ${read.error}`)
    const client = new ApiClient(invocation)
    const title = `Restoring ${sizeText(archive.value.length)}`
    const answer = await withProgress(invocation, title, () =>
      client.expect('PUT', '/v1/snapshot', [], archive.value, { timeoutMs: wholeStateMs }),
    )
    if (!answer.ok) return failed(invocation, `Error restoring snapshot: ${answer.error}`)
    invocation.terminal.out('Restored snapshot\n')
    return 0
  },
}

async function compare(invocation: Invocation, archive: Uint8Array): Promise<number> {
  const client = new ApiClient(invocation)
  const answer = await withProgress(invocation, 'Reading the state', (told) => stateOf(client, told))
  if (!answer.ok) return failed(invocation, `Error reading the state as it is: ${answer.error}`)
  const { compareArchives } = await import('../files/archives.ts')
  const compared = await compareArchives(invocation.env, answer.value, archive)
  if (!compared.ok) return failed(invocation, `Error comparing snapshots: ${compared.error}`)
  const rows = compared.value.map((each) => [each.type, String(each.added), String(each.removed), String(each.changed)])
  invocation.terminal.out(formatTable([['Type', 'Added', 'Removed', 'Changed'], ...rows]))
  return 0
}

export const inspectSnapshotCommand: CliCommand = {
  path: ['snapshot', 'inspect'],
  summary: 'Displays information about a snapshot file',
  operands: 'FILE',
  flags: [formatFlag],
  async run(invocation) {
    const archive = await givenArchive(invocation)
    if (!archive.ok) return failed(invocation, archive.error)
    const read = await verified(invocation, archive.value)
    if (!read.ok) return failed(invocation, `Error verifying snapshot: ${read.error}`)
    const { meta, types } = read.value
    const facts = [
      ['ID', meta.id],
      ['Size', String(meta.sizeBytes)],
      ['Index', String(meta.index)],
      ['Term', String(meta.term)],
      ['Version', '1'],
    ] as const
    const rows = types.map(({ type, rows: count, bytes }) => [type, String(count), String(bytes)])
    const head = facts.map(([name, value]) => `${name.padEnd(13)}${value}\n`).join('')
    const listed = types.map(({ type, rows: count, bytes }) => ({ Type: type, Count: count, Size: bytes }))
    const { id, sizeBytes, index, term } = meta
    const inspected = { ID: id, Size: sizeBytes, Index: index, Term: term, Version: 1, Types: listed }
    printListing(invocation, inspected, `${head}\n${formatTable([['Type', 'Count', 'Size'], ...rows])}`)
    return 0
  },
}

function stateOf(client: ApiClient, told: TellBytes): Promise<Result<Uint8Array, string>> {
  return client.expect('GET', '/v1/snapshot', [], undefined, { onReceived: told, timeoutMs: wholeStateMs })
}

/** The content of an archive, once all of it was read and is valid. */
async function verified(invocation: Invocation, archive: Uint8Array) {
  const { readArchive } = await import('../files/archives.ts')
  return withProgress(invocation, 'Verifying', (told) => readArchive(invocation.env, archive, told))
}

function oneFile({ args }: Invocation): Result<string, string> {
  const [file, ...more] = args
  if (file === undefined) return err('Missing FILE argument')
  return more.length === 0 ? ok(file) : err(`Too many arguments (expected 1, got ${args.length})`)
}

async function givenArchive(invocation: Invocation): Promise<Result<Uint8Array, string>> {
  const file = oneFile(invocation)
  if (!file.ok) return file
  const { readArchiveFile } = await import('../files/archives.ts')
  const read = await readArchiveFile(invocation.env.disk, file.value)
  return read.ok ? read : err(`Error opening snapshot file: ${read.error}`)
}
