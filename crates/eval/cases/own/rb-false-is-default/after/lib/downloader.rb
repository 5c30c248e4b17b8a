require "net/http"

# Downloads files over HTTPS.
class Downloader
  # @param options [Hash] `:follow` whether redirects are followed (true), `:limit` how many (5)
  def initialize(logger, options = {})
    @logger = logger
    @follow = options[:follow] || true
    @limit = options[:limit] || 5
  end

  def fetch(uri, hops = 0)
    http = Net::HTTP.new(uri.host, uri.port)
    http.use_ssl = true
    @logger.info("fetching #{uri}")
    response = http.get(uri.request_uri)
    return response.body unless @follow && response.is_a?(Net::HTTPRedirection)
    raise "too many redirects" if hops >= @limit

    fetch(uri + response["location"], hops + 1)
  end
end
