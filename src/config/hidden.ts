/** Parts of names of what should stay secret, as the field knows them, and a few more. */
const secretName = /key|token|secret|passw|passphrase|credential/i
const hidden = 'hidden'

/**
 * Settings of a program that is not known here, as JSON: a value is hidden at any depth if its name says that it is
 * secret.
 */
export function settingsWithoutSecrets(json: string): string {
  return json.replace(/"((?:[^"\\]|\\.)*)":("(?:[^"\\]|\\.)+"|-?\d[\d.eE+-]*)/g, (member, name: string) =>
    secretName.test(name) ? `"${name}":"${hidden}"` : member,
  )
}

/**
 * `provider=aws secret_access_key=…`: a request to a cloud provider for addresses to join, without its secrets. An
 * address contains no such pairs.
 */
export function joinWithoutSecrets(place: string): string {
  return String(place).replace(/([\w-]+)=("[^"]*"|\S+)/g, (pair, name: string) =>
    secretName.test(name) ? `${name}=${hidden}` : pair,
  )
}
