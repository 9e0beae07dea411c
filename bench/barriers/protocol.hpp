// How the driver talks to a measuring program: commands on standard input, one a line; one line of
// JSON on standard output for each (docs/records.md).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../machine/floor.hpp"
#include "crew.hpp"
#include "subject.hpp"

namespace bench {

struct serving {
  setting team;
  double delay_ns = 100;
  double sample_ms = 1;   // how long a sample should last
  double limit_ms = 400;  // how long a sample may last at most, as estimated by the pilot
};

/// Answers each command on standard input by the function of that name, which gets the ID that follows, until "quit" or the end
/// of the input. An exception becomes an answer, too.
using answers = std::map<std::string, std::function<nlohmann::json(const std::string& id)>>;
void answer_all(const answers& by_name);
/// What `sample` answers.
nlohmann::json as_answer(const std::string& id, const reading& found);
nlohmann::json as_answer(const std::string& id, std::uint64_t inner, cost one);

class protocol {
 public:
  protocol(const catalogue& entries, bool with_floor, serving s);

  /// Answers commands until "quit" or the end of the input. Members must be serving in `crew`.
  void answer_all(crew& members);

 private:
  struct chosen {
    std::unique_ptr<subject> what;
    std::uint64_t inner = 0;
  };

  nlohmann::json sample(const std::string& id, crew& members);
  nlohmann::json sample_floor(const std::string& id) const;
  chosen& chosen_for(const std::string& id, crew& members);

  const catalogue& entries_;
  const bool with_floor_;
  const serving serving_;
  const delay work_;
  std::map<std::string, chosen> in_use_;
};

/// The floor's ids: floor:switch:P for each processor, floor:transfer:A:B for each ordered pair.
nlohmann::json floor_list(const std::vector<int>& processors);
nlohmann::json list_of(const catalogue& entries);

}  // namespace bench
