import type { PlantedBug } from './planted-bug.ts'

const hunt = 'things-are-given-back'
const failing = 'disks-fail'
const log = 'src/raft/log'

/** Files of consensus that look right until another fault comes. */
export const diskBugs: readonly PlantedBug[] = [
  {
    row: 361,
    name: 'closed-without-a-seal',
    about: 'a log that is closed does not seal its last batch, which can then rot unnoticed',
    patches: [
      {
        file: `${log}/segmented-log.js`,
        find: 'this.#sealDue = this.#sealing.unsealed;',
        replace: 'this.#sealDue = false;',
      },
    ],
    hunt,
    foundBy: ['D3'],
  },
  {
    row: 362,
    name: 'watermark-left-behind',
    about: 'a log that is closed does not write how far it was durable',
    patches: [
      {
        file: `${log}/segmented-log.js`,
        find: 'await this.#watermark.writeNow();',
        replace: ';',
      },
    ],
    hunt,
    foundBy: ['D3'],
  },
  {
    row: 363,
    name: 'origin-of-another-sum',
    about:
      'the origin of a snapshot has a checksum that does not continue that of the rest: the file counts as damaged',
    patches: [
      {
        file: `${log}/snapshot-file.js`,
        find: 'originOf(origin, end.chain)',
        replace: 'originOf(origin, next.chain)',
      },
    ],
    hunt,
    foundBy: ['D3'],
  },
  {
    row: 364,
    name: 'old-snapshots-stay',
    about: 'snapshots that newer ones have replaced stay on the disk until the next start',
    patches: [
      {
        file: `${log}/snapshot-store.js`,
        find: 'all.filter((each) => !this.#kept.includes(each))',
        replace: 'all.filter(({ isDamaged }) => isDamaged)',
      },
    ],
    hunt,
    foundBy: ['D3'],
  },
  {
    row: 383,
    name: 'snapshots-of-earlier-lives-stay',
    about: 'a server that starts again forgets the second of its snapshots, which stays until the next start',
    patches: [
      {
        file: `${log}/snapshot-store.js`,
        find: 'this.#besides = found?.besides ?? [];',
        replace: 'this.#besides = [];',
      },
    ],
    hunt,
    foundBy: ['D3'],
  },
  {
    row: 384,
    name: 'renamed-or-not',
    about: 'a snapshot counts as stored although its file did not get its name, and the log before it is deleted',
    patches: [
      {
        file: `${log}/snapshot-store.js`,
        find: 'const durable = renamed.ok ? await',
        replace: 'const durable = renamed !== undefined ? await',
      },
    ],
    hunt: 'files-cannot-be-opened',
    foundBy: ['P1', 'D3'],
  },
  {
    row: 440,
    name: 'goes-on-after-a-failed-sync',
    about: 'a log that could not be written or synced is written again, as if there had been no room',
    patches: [
      {
        file: `${log}/full-disk.js`,
        find: "if (failure.kind !== 'full' && failure.kind !== 'no-descriptor')\n            return false;",
        replace: '',
      },
    ],
    hunt: failing,
    foundBy: ['D4'],
  },
  {
    row: 441,
    name: 'unfinished-snapshots-stay',
    about: 'the file of a snapshot that could not be written stays until the next start',
    patches: [{ file: `${log}/snapshot-store.js`, find: "written.error !== 'stopped'", replace: 'false' }],
    hunt: failing,
    foundBy: ['D3'],
  },
  {
    row: 442,
    name: 'unreadable-is-missing',
    about: 'a watermark that cannot be opened counts as missing, and the log beside it as damaged',
    patches: [
      {
        file: `${log}/watermark.js`,
        find: "file.error.kind === 'not-found' ? ok(undefined) : err(diskTrouble(file.error))",
        replace: 'ok(undefined)',
      },
    ],
    hunt: failing,
    foundBy: ['P1'],
  },
  {
    row: 443,
    name: 'stops-without-a-word',
    about: 'a server whose log failed stops and does not say which file it was',
    patches: [
      {
        file: 'src/raft/driver/raft-server.js',
        find: 'new Error(`raft log: ${diskFailureText(failure)}`)',
        replace: "new Error('raft log')",
      },
    ],
    hunt: failing,
    foundBy: ['P1'],
  },
  {
    row: 444,
    name: 'failed-registrations-are-acknowledged',
    about: 'a registration that could not be written to disk is acknowledged, and lost when the agent restarts',
    patches: [
      {
        file: 'src/agent/local/journal.js',
        find: 'this.#isWhole = false;\n        return written;\n    }\n    async writeAnew',
        replace: 'this.#isWhole = false;\n        return done;\n    }\n    async writeAnew',
      },
    ],
    hunt: 'registrations-on-failing-disks',
    foundBy: ['E5'],
  },
]
