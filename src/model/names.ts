/** The product's own short name, the only place where it stands: headers, DNS domain, metrics, metadata are built from it. */
export const productName = 'svc'
/** The same, capitalised, as in `X-Svc-Index` and `Svc agent`. */
export const productTitle = 'Svc'
