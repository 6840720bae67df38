import { err, ok } from '../../../../base/result.ts'
import { readCertificates } from '../../../../pki/certificate.ts'
import type { SignedCertificate } from '../provider.ts'
import { refused, unavailable } from './call-failure.ts'
import type { IntermediateWork } from './intermediate.ts'
import { authorityProblem } from './link.ts'
import type { Called, Deadline } from './manager-client.ts'

/** An authority for another datacenter, below this root, that signs leaves and no further authority. */
export async function signBelow(
  { env, client, options, root }: IntermediateWork,
  requestPem: string,
  notAfterMs: number,
  until: Deadline,
): Called<SignedCertificate> {
  const ttl = Math.floor((Math.min(notAfterMs, root.notAfterMs) - env.clock.wallMs()) / 1000)
  if (ttl <= 0) return err(refused('the authority would have ended before it begins'))
  const path = `${options.rootPath}/root/sign-intermediate`
  const body = { csr: requestPem, use_csr_values: true, ttl, max_path_length: 0 }
  const signed = await client.call('PUT', path, body, until)
  if (!signed.ok) return signed
  const given = signed.value.data?.['certificate']
  const read = typeof given === 'string' ? readCertificates(given) : undefined
  const made = read?.ok === true ? read.value[0] : undefined
  if (made === undefined) return err(unavailable(path, 'half an answer', options.token))
  const problem = authorityProblem(env.crypto, made, root, env.clock.wallMs())
  if (problem !== undefined) return err(refused(`the authority does not lead to the root: ${problem}`))
  return ok({ certificate: made.pem, serial: made.serial.toString(), notAfterMs: made.notAfterMs })
}
