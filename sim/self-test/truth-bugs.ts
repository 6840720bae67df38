import type { PlantedBug } from './planted-bug.ts'

const hunt = 'services-are-asked-for'

/** Bugs of answers about services, each of one way to ask. */
export const truthBugs: readonly PlantedBug[] = [
  {
    row: 155,
    name: 'maintained-nodes-pass',
    about: 'an instance passes although a check of its node does not',
    patches: [
      {
        file: 'src/features/health/model.js',
        find: "return checks.every(({ status }) => status === 'passing');",
        replace: "return checks.every(({ status, serviceId }) => status === 'passing' || serviceId === '');",
      },
    ],
    hunt,
    foundBy: ['E2', 'E7'],
  },
  {
    row: 156,
    name: 'any-metadata-will-do',
    about: 'a node without the metadata that was asked for is told of all the same',
    patches: [
      { file: 'src/features/discovery/reads.js', find: 'if (given.length === 0)', replace: 'if (given.length >= 0)' },
    ],
    hunt,
    foundBy: ['E7'],
  },
  {
    row: 157,
    name: 'kept-for-good',
    about: 'an answer that an agent keeps is not kept fresh',
    patches: [
      {
        file: 'src/agent/requests/asking/answer-cache.js',
        find: 'this.#calls.query(endpoint, args, { ...read, minIndex }, { ...options, token });',
        replace:
          'this.#calls.query(endpoint, args, { ...read, minIndex: minIndex + 10_000_000 }, { ...options, token });',
      },
    ],
    hunt,
    foundBy: ['E7'],
  },
]
