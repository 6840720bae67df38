import type { PlantedBug } from './planted-bug.ts'

const hunt = 'things-are-given-back'
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
        find: '[...whole.slice(keptMax), ...others.filter(',
        replace: '[...others.filter(',
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
    foundBy: ['P1'],
  },
]
