/**
 * The product's own short name, the only place where it stands: headers, DNS domain, metrics, metadata are built from
 * it.
 */
export const productName = 'svc'
/** The same, capitalised, as in `X-Svc-Index` and `Svc agent`. */
export const productTitle = 'Svc'
/**
 * Names of the field under which an agent is also addressed unless configured otherwise. Design: names of the field.
 */
export const fieldNames: readonly string[] = ['consul']
