/** A message as it goes over a stream: behind two bytes of length. RFC 1035, section 4.2.2. */
export function framed(message: Uint8Array): Uint8Array {
  const out = new Uint8Array(2 + message.length)
  out[0] = message.length >>> 8
  out[1] = message.length & 0xff
  out.set(message, 2)
  return out
}
