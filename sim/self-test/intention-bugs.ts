import type { PlantedBug } from './planted-bug.ts'

const feature = 'src/features/intention'
const hunt = 'intentions-decide'

/** Bugs in deciding which service may connect to which. A scenario states what is right: no other checker judges it. */
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
    about: 'a service of another mesh is taken for the one of the same name here',
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
    about: 'of several matching intentions the one with the lowest precedence decides',
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
        file: 'src/agent/requests/asking/answer-cache.js',
        find: 'this.take(next.value);',
        replace:
          'this.take(this.answer.value.length === undefined ? next.value : { ...next.value, value: this.answer.value });',
      },
    ],
    hunt,
    foundBy: ['scenario'],
  },
]
