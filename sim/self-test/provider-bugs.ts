import { inConnect } from './patch.ts'
import type { PlantedBug } from './planted-bug.ts'

const outside = 'root-moves-outside'
const failing = 'authority-outside-fails'

/** Bugs of a mesh whose root is in an external secrets manager. */
export const providerBugs: readonly PlantedBug[] = [
  {
    row: 110,
    name: 'bridge-forgotten',
    about: 'between roots with different key types the certificate of the bridge that signed the crossing is left out',
    patches: [
      inConnect(
        'provider/external/crossing.js',
        'const behind = bridges.map((bridge) => bridge.pem);',
        'const behind = bridges.slice(0, 0);',
      ),
    ],
    hunt: outside,
    foundBy: ['C1', 'C2'],
  },
  {
    row: 111,
    name: 'chain-not-looked-at',
    about: 'the issuer that a secrets manager names comes with a leaf, even if another one signed it',
    patches: [
      inConnect('provider/external/leaf.js', 'if (!verified.ok)', 'if (verified === undefined)'),
      inConnect(
        'provider/external/leaf.js',
        'const behind = verified.value.slice(1, -1).map(({ pem }) => pem);',
        'const behind = above.value.slice(0, 1).map(({ pem }) => pem);',
      ),
      {
        file: 'src/features/connect/leaves/leaves.js',
        find: 'return chain.ok ? undefined : chain.error;',
        replace: 'return undefined;',
      },
    ],
    hunt: outside,
    foundBy: ['C1', 'C5'],
  },
  {
    row: 112,
    name: 'token-told',
    about: 'the error of a failed call to the secrets manager contains its token',
    patches: [
      inConnect(
        'provider/external/manager-client.js',
        'const { token } = this.#options;\n        if (this.#isOver(finishes))',
        'const { token } = this.#options;\n        what = `${what} as ${token}`;\n        if (this.#isOver(finishes))',
      ),
      inConnect(
        'provider/external/manager-client.js',
        'const what = `${method} ${path}`;',
        'let what = `${method} ${path}`;',
      ),
    ],
    hunt: outside,
    foundBy: ['C4'],
  },
  {
    row: 458,
    name: 'rejected-for-good',
    about: 'a token that was rejected once, and cannot be renewed, is reported as rejected for ever',
    patches: [
      inConnect(
        'provider/external/token-keeper.js',
        'if (leftMs === undefined || leftMs > warnMs)',
        'if (leftMs === null)',
      ),
    ],
    hunt: failing,
    foundBy: ['C5'],
  },
  {
    row: 459,
    name: 'refused-and-installed',
    about: 'a rotation that the new provider refuses leaves its configuration in force',
    patches: [
      inConnect(
        'rotation-commands.js',
        "endRotation(tx, row, 'refused', why);",
        "configure(tx, authorityOf(tx), row);\n        endRotation(tx, row, 'refused', why);",
      ),
    ],
    hunt: failing,
    foundBy: ['C5'],
  },
  {
    row: 445,
    name: 'twice-the-life-outside',
    about: 'an external secrets manager is asked for leaves that live twice as long as the configuration says',
    patches: [
      inConnect(
        'provider/external/leaf.js',
        'Math.floor((endMs - env.clock.wallMs()) / 1000)',
        'Math.floor((endMs - env.clock.wallMs()) / 500)',
      ),
    ],
    hunt: outside,
    foundBy: ['C6'],
  },
]
