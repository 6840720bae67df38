import { equalBytes } from '../../../../base/bytes.ts'
import { done, err, ok } from '../../../../base/result.ts'
import type { Env } from '../../../../env/env.ts'
import { type Certificate, readCertificates } from '../../../../pki/certificate.ts'
import type {
  CrossingWish,
  LeafWish,
  MeshIdentity,
  Provided,
  ProvidedRoot,
  Provider,
  ProviderReview,
  SignedCertificate,
  SignerState,
} from '../provider.ts'
import { type Complaint, gone, refused } from './call-failure.ts'
import { crossBy } from './crossing.ts'
import { type FoundIntermediate, findOrMakeIntermediate, type IntermediateWork, signBelow } from './intermediate.ts'
import { signLeafBy } from './leaf.ts'
import { type Called, type Deadline, ManagerClient } from './manager-client.ts'
import type { ManagerOptions } from './options.ts'
import { findOrMakeRoot, readMount, readRoot } from './root.ts'
import { TokenKeeper } from './token-keeper.ts'

/** Timeouts for all calls of one task together: creating a root with its intermediate takes a dozen calls. */
const rootMs = 60_000
const signMs = 15_000
const contactMs = 5_000
const reviewMs = 30_000

/** Errors of a mount that exists but cannot sign, or no longer exists: a new intermediate fixes that. */
const outOfUse: ReadonlySet<Complaint | undefined> = new Set([
  'no-usable-authority',
  'no-authority',
  'not-mounted',
  'no-role',
] as const)

/** The leader's cached knowledge: the root, and the intermediate that the mount had at the last look. */
interface Known {
  readonly root: Certificate
  readonly intermediate: Certificate
}

/** Lets an external secrets manager hold the root and sign. Only its answers are stored, none of its keys. */
export class ExternalProvider implements Provider {
  readonly name: string
  readonly #env: Env
  readonly #options: ManagerOptions
  readonly #mesh: MeshIdentity
  readonly #client: ManagerClient
  readonly #token: TokenKeeper
  #known: Known | undefined
  /** One repair at a time: two would remove each other's request from the mount. */
  #mending: Called<FoundIntermediate> | undefined
  /** Why the intermediate was not renewed at the last look. */
  #unrenewed: string | undefined

  constructor(name: string, env: Env, options: ManagerOptions, mesh: MeshIdentity) {
    this.name = name
    this.#env = env
    this.#options = options
    this.#mesh = mesh
    this.#client = new ManagerClient(env, options)
    this.#token = new TokenKeeper(env, this.#client)
  }

  close(): void {
    this.#token.close()
    this.#client.close()
  }

  async root(state: SignerState | undefined): Provided<ProvidedRoot> {
    const until = this.#begin(rootMs)
    const root =
      state?.rootCertificate === undefined
        ? await findOrMakeRoot(this.#env, this.#client, this.#options, this.#mesh, until)
        : await this.#sameRoot(state.rootCertificate, until)
    if (!root.ok) return root
    const intermediate = await this.#mended(root.value, false, until)
    if (!intermediate.ok) return intermediate
    const certificate = root.value.pem
    return ok({ certificate, intermediates: [intermediate.value.pem], state: { rootCertificate: certificate } })
  }

  async contact(): Provided<undefined> {
    const read = await readMount(this.#client, this.#options.rootPath, this.#begin(contactMs))
    return read.ok ? done : read
  }

  async signLeaf(wish: LeafWish): Provided<SignedCertificate> {
    const until = this.#begin(signMs)
    const known = await this.#ready(until)
    if (!known.ok) return known
    const { root, intermediate } = known.value
    const signed = await signLeafBy(this.#work(root), intermediate, wish, until)
    if (signed.ok || !outOfUse.has(signed.error.complaint)) return signed
    const mended = await this.#mended(root, true, until)
    return mended.ok ? signLeafBy(this.#work(root), mended.value, wish, until) : mended
  }

  async crossSign(wish: CrossingWish): Provided<SignedCertificate> {
    const until = this.#begin(signMs)
    const root = await this.#root(until)
    return root.ok ? crossBy(this.#work(root.value), wish, until) : root
  }

  async signIntermediate(requestPem: string, _serial: string, notAfterMs: number): Provided<SignedCertificate> {
    const until = this.#begin(signMs)
    const root = await this.#root(until)
    return root.ok ? signBelow(this.#work(root.value), requestPem, notAfterMs, until) : root
  }

  async review(known: ProvidedRoot): Provided<ProviderReview> {
    const until = this.#begin(reviewMs)
    const root = await this.#sameRoot(known.certificate, until)
    const found = root.ok ? await this.#mended(root.value, false, until) : root
    if (found.ok) return ok({ intermediates: [found.value.pem], problem: this.#token.problem ?? this.#unrenewed })
    if (found.error.kind === 'unavailable') return found
    return ok({ intermediates: known.intermediates, problem: found.error.message })
  }

  #begin(limitMs: number): Deadline {
    this.#token.start()
    return this.#env.clock.monoMs() + limitMs
  }

  #work(root: Certificate): IntermediateWork {
    return { env: this.#env, client: this.#client, options: this.#options, mesh: this.#mesh, root }
  }

  async #root(until: Deadline): Called<Certificate> {
    return this.#known === undefined
      ? readRoot(this.#env, this.#client, this.#options.rootPath, until)
      : ok(this.#known.root)
  }

  async #ready(until: Deadline): Called<Known> {
    if (this.#known !== undefined) return ok(this.#known)
    const root = await this.#root(until)
    if (!root.ok) return root
    const intermediate = await this.#mended(root.value, false, until)
    return intermediate.ok ? ok({ root: root.value, intermediate: intermediate.value }) : intermediate
  }

  /** The root that the mesh trusts, if the mount still has the same one. */
  async #sameRoot(pem: string, until: Deadline): Called<Certificate> {
    const read = readCertificates(pem)
    const trusted = read.ok ? read.value[0] : undefined
    if (trusted === undefined) return err(refused('the root in the state of the mesh cannot be read'))
    const found = await readRoot(this.#env, this.#client, this.#options.rootPath, until)
    if (!found.ok || equalBytes(found.value.der, trusted.der)) return found
    const remedy = 'restore that one, or configure the mount of another root to rotate to it'
    return err(gone(`the root in ${this.#options.rootPath} is not the one that the mesh trusts: ${remedy}`))
  }

  async #mended(root: Certificate, broken: boolean, until: Deadline): Called<Certificate> {
    const mending = this.#mending ?? findOrMakeIntermediate(this.#work(root), broken, until)
    this.#mending = mending
    const mended = await mending
    if (this.#mending === mending) this.#mending = undefined
    if (!mended.ok) return mended
    this.#known = { root, intermediate: mended.value.certificate }
    this.#unrenewed = mended.value.problem
    return ok(mended.value.certificate)
  }
}
