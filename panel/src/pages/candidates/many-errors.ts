/** Of the requests: so many errors are not those of a person. */
export const manyErrors = 0.5;
