import type { PlantedBug } from './planted-bug.ts'

const connect = 'src/features/connect'
const rotates = 'mesh-rotates'

/** What may go wrong with the authority of the mesh. The first two are rows 22 and 23 of the list of famous bugs. */
export const meshBugs: readonly PlantedBug[] = [
  {
    row: 22,
    name: 'root-goes-by-the-clock',
    about: 'an old root goes when so much time has passed, whatever it has signed',
    patches: [
      {
        file: `${connect}/views.js`,
        find: 'return Math.max(last + pruneMarginMs(times.skewMs), replacedMs + staysMinMs(times));',
        replace: 'return Math.max(0 * last, replacedMs + staysMinMs(times));',
      },
    ],
    hunt: rotates,
    foundBy: ['C1', 'C3'],
  },
  {
    row: 23,
    name: 'crossing-omitted',
    about: 'new leaves go out without the crossings that lead back to older roots (consul#10826)',
    patches: [
      {
        file: `${connect}/leaves/leaves.js`,
        find: 'const all = [certificate, ...(behind ?? ownIntermediates), ...crossings];',
        replace: 'const all = [certificate, ...(behind ?? ownIntermediates), ...crossings.slice(0, 0)];',
      },
    ],
    hunt: rotates,
    foundBy: ['C1'],
  },
  {
    row: 90,
    name: 'another-authority-key',
    about: "a leaf names its own key where its signer's belongs",
    patches: [
      {
        file: 'src/pki/mesh-certificates.js',
        find: 'extension.subjectKeyId(keyIdOf(crypto, publicKey)),\n        extension.authorityKeyId(keyIdOfIssuer(crypto, issuer.certificate)),',
        replace:
          'extension.subjectKeyId(keyIdOf(crypto, publicKey)),\n        extension.authorityKeyId(keyIdOf(crypto, publicKey)),',
      },
    ],
    hunt: rotates,
    foundBy: ['C1'],
  },
  {
    row: 91,
    name: 'serial-reused',
    about: 'of several numbers that are taken at once the last is given again',
    patches: [
      {
        file: `${connect}/writes.js`,
        find: 'next: String(first + BigInt(count))',
        replace: 'next: String(first + BigInt(Math.max(1, count - 1)))',
      },
    ],
    hunt: rotates,
    foundBy: ['C3'],
  },
  {
    row: 92,
    name: 'deactivated-too-early',
    about: 'the old root is no longer active when it has signed the new one, which is not yet',
    patches: [
      {
        file: `${connect}/rotation-commands.js`,
        find: "put(tx, { ...row, step: 'crossed', crossing: body.crossing });",
        replace:
          "put(tx, { ...row, step: 'crossed', crossing: body.crossing });\n" +
          '        tx.put(rootsTable, Object.freeze({ ...activeRoot(tx), active: false }));',
      },
      {
        file: `${connect}/rotation-commands.js`,
        find: 'import { authorityTable, rotationsTable } from',
        replace: 'import { authorityTable, rootsTable, rotationsTable } from',
      },
    ],
    hunt: rotates,
    foundBy: ['C2'],
  },
  {
    row: 93,
    name: 'leaf-outlives-its-root',
    about: 'a leaf lives as long as the configuration says, whatever is left of the root that signs it',
    patches: [
      {
        file: `${connect}/forecast.js`,
        find: 'wholeSecond(Math.min(wholeSecond(nowMs - times.skewMs) + ttlMs, chainOf(tx, root, nowMs, times).endMs))',
        replace: 'wholeSecond(wholeSecond(nowMs - times.skewMs) + ttlMs)',
      },
      {
        file: `${connect}/provider/built-in.js`,
        find: 'return wholeSecond(Math.min(notAfterMs, certificate.notAfterMs));',
        replace: 'return certificate && wholeSecond(notAfterMs);',
      },
      {
        file: `${connect}/leaves/leaves.js`,
        find: 'return leaf.notAfterMs > wish.endMs ?',
        replace: 'return leaf.notAfterMs < 0 ?',
      },
    ],
    hunt: 'mesh-root-ends',
    foundBy: ['C6', 'C1'],
  },
  {
    row: 94,
    name: 'key-is-shown',
    about: 'the configuration is shown with the private key in it',
    patches: [
      {
        file: `${connect}/options.js`,
        find: 'shown.set(name, hiddenText);',
        replace: 'shown.set(name, textOption(options, name));',
      },
    ],
    hunt: rotates,
    foundBy: ['C4'],
  },
  {
    row: 95,
    name: 'made-out-to-another',
    about: 'a leaf is made out to another service than the request is for',
    patches: [
      {
        file: `${connect}/leaves/requested.js`,
        find: 'const { service } = named;',
        replace: "const service = named.service.replace(/[0-9]+$/, '1');",
      },
    ],
    hunt: rotates,
    foundBy: ['C1', 'C5'],
  },
  {
    row: 96,
    name: 'crossing-lost-at-the-second',
    about: 'a second rotation keeps the newest crossing alone',
    patches: [
      {
        file: `${connect}/writes.js`,
        find: 'const oldest = oldestGeneration(tx);\n    for (const { generation } of [...allCrossings(tx)])',
        replace:
          'const oldest = Math.max(oldestGeneration(tx), (activeRoot(tx)?.generation ?? 1) - 1);\n' +
          '    for (const { generation } of [...allCrossings(tx)])',
      },
    ],
    hunt: rotates,
    foundBy: ['C1', 'C2'],
  },
  {
    row: 97,
    name: 'not-back-dated',
    about: 'a leaf holds from the moment at which the leader signs it',
    patches: [
      {
        file: `${connect}/leaves/signing.js`,
        find: 'const notBeforeMs = wholeSecond(nowMs - skewMs);',
        replace: 'const notBeforeMs = wholeSecond(nowMs);',
      },
    ],
    hunt: rotates,
    foundBy: ['C1', 'C6'],
  },
  {
    row: 98,
    name: 'every-leader-begins',
    about: 'each leader begins the authority, whatever it finds',
    patches: [
      {
        file: `${connect}/leader/steward.js`,
        find: 'if (authorityOf(tx) === undefined)\n            return this.#bootstrap.step();',
        replace:
          'if (this.begun === undefined) {\n            const step = await this.#bootstrap.step();\n' +
          "            if (step.kind !== 'failed')\n                this.begun = true;\n            return step;\n        }",
      },
      {
        file: `${connect}/commands.js`,
        find: 'if (authorityOf(tx) !== undefined)\n            return false;',
        replace: '',
      },
    ],
    hunt: rotates,
    foundBy: ['C1', 'C2', 'C5'],
  },
  {
    row: 100,
    name: 'rotation-left-alone',
    about: 'a leader goes on with rotations only that began while it led',
    patches: [
      {
        file: `${connect}/leader/steward.js`,
        find: 'const rotation = openRotation(tx);\n        if (rotation !== undefined)',
        replace:
          'const rotation = openRotation(tx);\n        this.own ??= tx.index;\n        if (rotation !== undefined && rotation.id > this.own)',
      },
    ],
    hunt: rotates,
    foundBy: ['C5'],
  },
]
