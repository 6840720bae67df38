import type { PlantedBug } from './planted-bug.ts'

const feature = 'src/features/intention'
const hunt = 'intentions-decide'

/** Bugs in deciding which service may connect to which. A scenario states what is right: no other checker judges it. */
export const intentionBugs: readonly PlantedBug[] = [
  {
    row: 103,
    name: 'intention-default-inverted',
    about: 'what no intention speaks of is allowed where the policy is to deny',
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
    about: 'a service of another mesh goes for the one of the same name here',
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
    about: 'of several intentions the one with the least precedence decides',
    patches: [
      {
        file: `${feature}/precedence.js`,
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
    about: 'an agent hears of a change of what it keeps, and goes on with what it had',
    patches: [
      {
        file: 'src/agent/asking/answer-cache.js',
        find: 'this.take(next.value);',
        replace:
          'this.take(this.answer.value.length === undefined ? next.value : { ...next.value, value: this.answer.value });',
      },
    ],
    hunt,
    foundBy: ['scenario'],
  },
]
