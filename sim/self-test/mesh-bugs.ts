import { inConnect } from './patch.ts'
import type { PlantedBug } from './planted-bug.ts'

const rotates = 'mesh-rotates'

/** Bugs of the mesh's certificate authority. The first two are rows 22 and 23 of the list of famous bugs. */
export const meshBugs: readonly PlantedBug[] = [
  {
    row: 22,
    name: 'root-goes-by-the-clock',
    about: 'an old root is removed after a fixed time, whatever it has signed',
    patches: [
      inConnect(
        'views.js',
        'return Math.max(last + pruneMarginMs(times.skewMs), replacedMs + staysMinMs(times));',
        'return Math.max(0 * last, replacedMs + staysMinMs(times));',
      ),
    ],
    hunt: rotates,
    foundBy: ['C1', 'C3'],
  },
  {
    row: 23,
    name: 'crossing-omitted',
    about: 'new leaves come without the crossings that lead back to older roots (consul#10826)',
    patches: [
      inConnect(
        'leaves/leaves.js',
        'const all = [certificate, ...(behind ?? ownIntermediates), ...crossings];',
        'const all = [certificate, ...(behind ?? ownIntermediates), ...crossings.slice(0, 0)];',
      ),
    ],
    hunt: rotates,
    foundBy: ['C1'],
  },
  {
    row: 90,
    name: 'another-authority-key',
    about: "the authority key identifier of a leaf is that of its own key instead of its signer's",
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
    about: 'the last of several reserved serial numbers is used twice',
    patches: [
      inConnect(
        'writes.js',
        'next: String(first + BigInt(count))',
        'next: String(first + BigInt(Math.max(1, count - 1)))',
      ),
    ],
    hunt: rotates,
    foundBy: ['C3'],
  },
  {
    row: 92,
    name: 'deactivated-too-early',
    about: 'the old root becomes inactive when it has signed the new one, which is not active yet',
    patches: [
      inConnect(
        'rotation-commands.js',
        "put(tx, { ...row, step: 'crossed', crossing: body.crossing });",
        "put(tx, { ...row, step: 'crossed', crossing: body.crossing });\n" +
          '        tx.put(rootsTable, Object.freeze({ ...activeRoot(tx), active: false }));',
      ),
    ],
    hunt: rotates,
    foundBy: ['C2', 'C5'],
  },
  {
    row: 93,
    name: 'leaf-outlives-its-root',
    about: 'a leaf lives as long as the configuration says, even beyond the expiry of its root',
    patches: [
      inConnect(
        'forecast.js',
        'wholeSecond(Math.min(wholeSecond(nowMs - times.skewMs) + ttlMs, chainOf(tx, root, nowMs, times).endMs))',
        'wholeSecond(wholeSecond(nowMs - times.skewMs) + ttlMs)',
      ),
      inConnect(
        'provider/built-in.js',
        'return wholeSecond(Math.min(notAfterMs, certificate.notAfterMs));',
        'return certificate && wholeSecond(notAfterMs);',
      ),
      inConnect(
        'leaves/leaves.js',
        'const notAfterMs = wholeSecond(Math.min(expiresMs, lastMs));',
        'const notAfterMs = wholeSecond(lastMs < 0 ? lastMs : expiresMs);',
      ),
      inConnect('leaves/leaves.js', 'return leaf.notAfterMs > wish.endMs ?', 'return leaf.notAfterMs < 0 ?'),
    ],
    hunt: 'mesh-root-ends',
    foundBy: ['C6', 'C1'],
  },
  {
    row: 94,
    name: 'key-is-shown',
    about: 'the answer to a request for the CA configuration contains the private key',
    patches: [inConnect('options.js', 'shown.set(name, hiddenText);', 'shown.set(name, textOption(options, name));')],
    hunt: rotates,
    foundBy: ['C4'],
  },
  {
    row: 95,
    name: 'made-out-to-another',
    about: 'a leaf is issued for another service than the one in the request',
    patches: [
      inConnect(
        'leaves/requested.js',
        'const { service } = named;',
        "const service = named.service.replace(/[0-9]+$/, '1');",
      ),
    ],
    hunt: rotates,
    foundBy: ['C1', 'C5'],
  },
  {
    row: 96,
    name: 'crossing-lost-at-the-second',
    about: 'a second rotation keeps only the newest crossing',
    patches: [
      inConnect(
        'writes.js',
        'const oldest = oldestGeneration(tx);\n    for (const { generation } of [...allCrossings(tx)])',
        'const oldest = Math.max(oldestGeneration(tx), (activeRoot(tx)?.generation ?? 1) - 1);\n' +
          '    for (const { generation } of [...allCrossings(tx)])',
      ),
    ],
    hunt: rotates,
    foundBy: ['C1', 'C2'],
  },
  {
    row: 97,
    name: 'not-back-dated',
    about: 'a leaf is valid only from the moment when the leader signs it, without back-dating',
    patches: [
      inConnect(
        'leaves/signing.js',
        'const notBeforeMs = wholeSecond(nowMs - skewMs);',
        'const notBeforeMs = wholeSecond(nowMs);',
      ),
    ],
    hunt: rotates,
    foundBy: ['C1', 'C6'],
  },
  {
    row: 98,
    name: 'every-leader-begins',
    about: 'each leader creates a new certificate authority, even if there is one',
    patches: [
      inConnect(
        'leader/steward.js',
        'if (authorityOf(tx) === undefined)\n            return this.#bootstrap.step();',
        'if (this.begun === undefined) {\n            const step = await this.#bootstrap.step();\n' +
          "            if (step.kind !== 'failed')\n                this.begun = true;\n            return step;\n        }",
      ),
      inConnect('commands.js', 'if (authorityOf(tx) !== undefined)\n            return false;', ''),
    ],
    hunt: rotates,
    foundBy: ['C1', 'C2', 'C5'],
  },
  {
    row: 100,
    name: 'rotation-left-alone',
    about: 'a leader continues only rotations that began while it led',
    patches: [
      inConnect(
        'leader/steward.js',
        'const rotation = openRotation(tx);\n        if (rotation === undefined)',
        'const rotation = openRotation(tx);\n        this.own ??= tx.index;\n        if (rotation === undefined || rotation.id <= this.own)',
      ),
    ],
    hunt: rotates,
    foundBy: ['C5'],
  },
  {
    row: 122,
    name: 'csr-for-another-service-accepted',
    about:
      'a certificate request is signed for any service that it names, even if the token may only write another one',
    patches: [
      inConnect(
        'leaves/requested.js',
        'if (!authorizer.allows(ask.resource, name, ask.right))',
        'if (!authorizer.allows(ask.resource, name, ask.right) && name === undefined)',
      ),
    ],
    hunt: 'leaf-of-another',
    foundBy: ['scenario'],
  },
  {
    row: 381,
    name: 'roots-without-crossings',
    about: 'agents show the roots without the certificates that cross-sign them',
    patches: [
      {
        file: 'src/features/connect/model.js',
        find: 'IntermediateCerts: root.intermediates.length === 0 ? null : root.intermediates,',
        replace: 'IntermediateCerts: null,',
      },
    ],
    hunt: 'mesh-rotates',
    foundBy: ['C2'],
  },
]
