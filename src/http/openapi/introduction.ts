// What holds for the whole API. Markdown of paragraphs, lists and `code`.

export const introduction = `JSON in, JSON out, names in snake_case; unknown fields are refused. Times are UTC, ISO 8601.

Every request but those that say otherwise needs \`Authorization: Bearer KEY\`, and a key with the scope that the operation names. No key and a wrong one are answered alike (401); from the 21st wrong one within a minute from one address 429 follows, never for a valid key.

Addresses are read by one parser into one form: RFC 5952 for IPv6, \`::ffff:a.b.c.d\` becomes IPv4, \`/32\` and \`/128\` become the plain address. Host bits in a network, zone ids, leading zeros in IPv4, \`0.0.0.0/0\`, \`::/0\` and IPv6 networks that would cover all of IPv4 are refused with a message that says what would be right.

Every error is a problem document (RFC 9457) with a \`code\` that names one kind and one message for good; with \`Accept: application/x-protobuf\` it is an \`errors.v1.ApiError\`. A path that is not here is 404 with the code 404; a method that a path does not take is 405 with the code 6011 and an \`Allow\` header. \`Retry-After\` is sent where waiting helps.

HEAD is answered wherever GET is. Every answer has \`X-Request-Id\`; it stands in every line of the log that is about the request.`;
