import { recordLeaves } from '../../../src/features/connect/commands.ts'
import { type CheckedRun, checker } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { type Reach, rareStates, toldStates } from '../rare-states.ts'
import type { RotationStep } from './mesh-facts.ts'
import { authorityTold } from './mesh-in-force.ts'
import { meshLaws } from './mesh-laws.ts'

export const rotationMarks = rareStates({
  'leaf renewed in a rotation': 'leaves were issued while the root of the mesh was being rotated',
  'rotation taken over': 'another server came to lead while the root of the mesh was being rotated',
})

export const meshTold = toldStates({
  'authority held up': [authorityTold.blocked, 'the certificate authority could not continue'],
  'authority went on': [authorityTold.continues, 'the certificate authority went on after it was held up'],
  'authority restored': [
    'connect: a snapshot was restored: old roots stay for leaves that it does not contain, and serial numbers start anew',
    'a restore brought back an older certificate authority',
  ],
  'leaves of a lost root replaced': [
    'connect: the root of the kept leaf certificates is no longer trusted, for example after the restore of an older snapshot: they are replaced',
    'an agent replaced leaves whose root is not trusted any more',
  ],
  'old root dropped': [
    'connect: removed an old root: its last leaf has expired',
    'the last leaf of an old root had expired, and the root was dropped',
  ],
  'meshes joined': [
    'connect: the mesh is one with that of the primary datacenter',
    'the mesh of a datacenter became one with that of the primary one',
  ],
  'primary not followed': [
    'connect: the mesh does not follow that of the primary datacenter',
    'a datacenter could not follow the mesh of the primary one',
  ],
  'leaf renewal repeated': [
    'connect: a leaf certificate could not be renewed: the agent tries again',
    'an agent could not renew a leaf, and asked again',
  ],
  'leaf request refused': [
    'connect.ca.leaf.refused',
    'a leader refused to sign, because too many leaves were asked for',
  ],
  'provider call failed': ['connect.ca.provider.call-failed', 'a request to the external provider failed'],
  'leaf ran out at a proxy': [
    'proxy: The leaf certificate has expired, and the agent provides no new one: new connections fail until it does',
    'a proxy had a leaf that had expired',
  ],
  'proxy refused a connection': ['proxy.refused', 'a proxy did not let a connection through'],
})

/** Observes rare states of rotations. */
class RotationMarks {
  readonly #reach: Reach<keyof typeof rotationMarks.marks>
  readonly #stepOf: () => RotationStep | undefined

  constructor({ of }: Pick<CheckedRun, 'of'>) {
    this.#reach = of(rotationMarks)
    this.#stepOf = () => of(meshLaws)?.rotation.step
  }

  tookEffect({ command: { kind } }: Facts['command took effect']): void {
    if (kind === recordLeaves.kind && this.#stepOf() !== undefined) this.#reach('leaf renewed in a rotation')
  }

  led(): void {
    if (this.#stepOf() !== undefined) this.#reach('rotation taken over')
  }
}

export const markedRotations = checker({
  codes: {},
  make: (run) => new RotationMarks(run),
  takes: {
    'command took effect': (it, fact) => it.tookEffect(fact),
    'leader began': (it) => it.led(),
  },
})
