import type { PlantedBug } from './planted-bug.ts'

const feature = 'src/features/intention'
const hunt = 'intentions-decide'
const edited = 'intentions-are-edited'
const outage = 'intentions-in-an-outage'
const kept = 'src/agent/requests/asking/kept-answer.js'

/** Bugs in deciding which service may connect to which. Of the first ones a scenario states what is right. */
export const intentionBugs: readonly PlantedBug[] = [
  {
    row: 103,
    name: 'intention-default-inverted',
    about: 'a connection without a matching intention is allowed although the default policy is deny',
    patches: [
      {
        file: `${feature}/authorize.js`,
        find: "accessControl.defaultPolicy === 'allow'",
        replace: "accessControl.defaultPolicy !== 'allow'",
      },
    ],
    hunt,
    foundBy: ['scenario'],
  },
  {
    row: 104,
    name: 'strangers-are-let-in',
    about: 'a service of another mesh counts as the local service of the same name',
    patches: [
      {
        file: `${feature}/authorize.js`,
        find: 'if (domains === undefined || isOfMesh(domains, client.trustDomain))',
        replace: 'if (domains !== null || isOfMesh(domains, client.trustDomain))',
      },
    ],
    hunt,
    foundBy: ['scenario'],
  },
  {
    row: 105,
    name: 'the-general-decides',
    about: 'of several matching intentions, the one with the lowest precedence decides',
    patches: [
      {
        file: `${feature}/place.js`,
        find: 'precedenceOf(b) - precedenceOf(a)',
        replace: 'precedenceOf(a) - precedenceOf(b)',
      },
    ],
    hunt,
    foundBy: ['scenario'],
  },
  {
    row: 106,
    name: 'intentions-kept-for-ever',
    about: 'an agent learns that a cached answer has changed, and keeps using the old one',
    patches: [
      {
        file: kept,
        find: 'this.#take(next.value, ',
        replace:
          'this.#take(this.answer.value.length === undefined ? next.value : { ...next.value, value: this.answer.value }, ',
      },
    ],
    hunt,
    foundBy: ['scenario'],
  },
  {
    row: 185,
    name: 'second-of-a-pair',
    about: 'an update may create a second intention with the same source and destination',
    patches: [
      {
        file: `${feature}/commands.js`,
        find: 'return known === undefined || known.id === body.id ?',
        replace: 'return known === undefined || known.id === body.id || intentionById(tx, body.id) !== undefined ?',
      },
    ],
    hunt: edited,
    foundBy: ['C7'],
  },
  {
    row: 186,
    name: 'refusals-are-acknowledged',
    about: 'a refused creation is answered as if it had succeeded',
    patches: [
      {
        file: `${feature}/apply-endpoint.js`,
        find: 'return answered(await server.propose(command, body, identity));',
        replace:
          "const made = await server.propose(command, body, identity); return made.ok && 'refusal' in made.value && 'createdMs' in body ? ok(body.id) : answered(made);",
      },
    ],
    hunt: edited,
    foundBy: ['C7'],
  },
  {
    row: 187,
    name: 'any-source-will-do',
    about: 'the first intention for the destination decides, whatever its source',
    patches: [
      {
        file: `${feature}/place.js`,
        find: 'return inOrder.find((intention) => covers(intention.source, source));',
        replace: 'return inOrder.find((intention) => covers(intention.source, source) || inOrder.length > 2);',
      },
    ],
    hunt: edited,
    foundBy: ['C8'],
  },
  {
    row: 188,
    name: 'decided-by-what-was',
    about: 'an agent learns that the intentions of a destination have changed, but still decides by the old ones',
    patches: [
      {
        file: kept,
        find: 'this.#take(next.value, ',
        replace:
          'this.#take(this.answer.value.length === undefined ? next.value : { ...next.value, value: this.answer.value }, ',
      },
    ],
    hunt: edited,
    foundBy: ['C8'],
  },
  {
    row: 342,
    name: 'one-failure-is-the-end',
    about: 'an agent whose refresh of a cached answer has failed once never refreshes it again',
    patches: [
      { file: kept, find: 'await this.#pauseInDoubt(retryMs);', replace: 'await new Promise(() => undefined);' },
    ],
    hunt: outage,
    foundBy: ['C8'],
  },
  {
    row: 343,
    name: 'a-minute-after-a-failure',
    about: 'an agent waits for a minute after the first failed refresh of a cached answer',
    patches: [{ file: kept, find: 'const retryMinMs = 1_000;', replace: 'const retryMinMs = 60_000;' }],
    hunt: outage,
    foundBy: ['C8'],
  },
  {
    row: 344,
    name: 'nothing-known-in-an-outage',
    about: 'an agent that cannot refresh a cached list takes it for empty',
    patches: [
      {
        file: kept,
        find: 'this.#inDoubtSinceMs ??= this.#fetchedMs;',
        replace:
          'this.#inDoubtSinceMs ??= this.#fetchedMs;\n            if (Array.isArray(this.answer.value)) this.answer = { meta: this.answer.meta, value: [] };',
      },
    ],
    hunt: outage,
    foundBy: ['C8'],
  },
  {
    row: 477,
    name: 'ages-in-milliseconds',
    about: 'the age of the intentions by which an agent decides is told in milliseconds',
    patches: [{ file: `${feature}/authorize.js`, find: 'Math.floor(ageMs / 1000)', replace: 'Math.floor(ageMs)' }],
    hunt: outage,
    foundBy: ['C8'],
  },
]
